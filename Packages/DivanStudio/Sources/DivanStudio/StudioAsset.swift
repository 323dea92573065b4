import DivanHTTP

/// A file of the page, embedded in the program.
struct StudioAsset {
    /// The pages, which share one text: the script examines the address.
    private static let pages = [
        "/", "/collection", "/document", "/new", "/conflicts", "/conflict", "/changes",
        "/query", "/indexes", "/peers",
    ]

    let response: HTTPResponse

    /// The asset at a path; `nil` if there is none.
    init?(_ path: String) {
        switch path {
        case _ where Self.pages.contains(path):
            self.init("text/html; charset=utf-8", PackageResources.studio_html)
        case "/studio.css": self.init("text/css; charset=utf-8", PackageResources.studio_css)
        case "/studio.js": self.init("text/javascript; charset=utf-8", PackageResources.studio_js)
        case "/base.js": self.init("text/javascript; charset=utf-8", PackageResources.base_js)
        case "/pages.js": self.init("text/javascript; charset=utf-8", PackageResources.pages_js)
        case "/drawing.js": self.init("text/javascript; charset=utf-8", PackageResources.drawing_js)
        case "/peers.js": self.init("text/javascript; charset=utf-8", PackageResources.peers_js)
        case "/studio.svg": self.init("image/svg+xml", PackageResources.studio_svg)
        default: return nil
        }
    }

    private init(_ type: String, _ bytes: [UInt8]) {
        response = HTTPResponse(contentType: type, bytes)
    }
}

import DivanHTTP

/// A file of the page, embedded in the program.
struct StudioAsset {
    private(set) var response: HTTPResponse

    /// The asset at a path; `nil` if there is none.
    init?(_ path: String) {
        switch path {
        // The pages share one text: the script examines the address.
        case "/", "/new", "/conflicts", "/conflict", "/changes", "/query", "/schema", "/indexes",
            "/import", "/peers":
            self.init(page: [])
        case "/collection": self.init(page: ["collection", "completion", "files"])
        case "/document": self.init(page: ["document", "differences", "drawing", "editor"])
        case "/base.js": self.init(module: PackageResources.base_js)
        case "/chart.js": self.init(module: PackageResources.chart_js)
        case "/collection.js": self.init(module: PackageResources.collection_js)
        case "/completion.js": self.init(module: PackageResources.completion_js)
        case "/conflict.js": self.init(module: PackageResources.conflict_js)
        case "/differences.js": self.init(module: PackageResources.differences_js)
        case "/document.js": self.init(module: PackageResources.document_js)
        case "/drawing.js": self.init(module: PackageResources.drawing_js)
        case "/editor.js": self.init(module: PackageResources.editor_js)
        case "/files.js": self.init(module: PackageResources.files_js)
        case "/import.js": self.init(module: PackageResources.import_js)
        case "/indexes.js": self.init(module: PackageResources.indexes_js)
        case "/pages.js": self.init(module: PackageResources.pages_js)
        case "/peers.js": self.init(module: PackageResources.peers_js)
        case "/query.js": self.init(module: PackageResources.query_js)
        case "/studio.js": self.init(module: PackageResources.studio_js)
        case "/studio.css": self.init("text/css; charset=utf-8", PackageResources.studio_css)
        case "/studio.svg": self.init("image/svg+xml", PackageResources.studio_svg)
        default: return nil
        }
    }

    /// A page, with the modules that the browser loads early, besides those of all pages.
    private init(page modules: [String]) {
        self.init("text/html; charset=utf-8", PackageResources.studio_html)
        for module in modules {
            response.headers.append("Link", "</\(module).js>; rel=modulepreload")
        }
    }

    private init(module bytes: [UInt8]) {
        self.init("text/javascript; charset=utf-8", bytes)
    }

    /// The page for an address that has none, whose script says so.
    static var missing: HTTPResponse {
        let type = "text/html; charset=utf-8"
        return HTTPResponse(status: 404, contentType: type, PackageResources.studio_html)
    }

    private init(_ type: String, _ bytes: [UInt8]) {
        response = HTTPResponse(contentType: type, bytes)
    }
}

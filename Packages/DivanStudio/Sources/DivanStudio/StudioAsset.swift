import DivanHTTP

/// A file of the page, embedded in the program.
struct StudioAsset {
    /// The pages, which share one text: the script examines the address.
    private static let pages = [
        "/", "/collection", "/document", "/new", "/conflicts", "/conflict", "/changes",
        "/query", "/schema", "/indexes", "/import", "/peers",
    ]

    /// The modules of the script.
    private static let modules: [String: @Sendable () -> [UInt8]] = [
        "/studio.js": { PackageResources.studio_js }, "/base.js": { PackageResources.base_js },
        "/pages.js": { PackageResources.pages_js }, "/drawing.js": { PackageResources.drawing_js },
        "/collection.js": { PackageResources.collection_js },
        "/completion.js": { PackageResources.completion_js },
        "/chart.js": { PackageResources.chart_js }, "/query.js": { PackageResources.query_js },
        "/conflict.js": { PackageResources.conflict_js },
        "/differences.js": { PackageResources.differences_js },
        "/document.js": { PackageResources.document_js },
        "/editor.js": { PackageResources.editor_js },
        "/import.js": { PackageResources.import_js },
        "/indexes.js": { PackageResources.indexes_js },
        "/files.js": { PackageResources.files_js },
        "/peers.js": { PackageResources.peers_js },
    ]

    let response: HTTPResponse

    /// The asset at a path; `nil` if there is none.
    init?(_ path: String) {
        if let module = Self.modules[path] {
            self.init("text/javascript; charset=utf-8", module())
            return
        }
        switch path {
        case _ where Self.pages.contains(path):
            self.init("text/html; charset=utf-8", PackageResources.studio_html)
        case "/studio.css": self.init("text/css; charset=utf-8", PackageResources.studio_css)
        case "/studio.svg": self.init("image/svg+xml", PackageResources.studio_svg)
        default: return nil
        }
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

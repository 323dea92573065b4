import Divan
import DivanHTTP

/// Responds to the requests for each path.
struct MenuRoutes {
    let menu: DocumentCollection

    func answer(_ request: HTTPRequest, _ body: [UInt8]) async throws -> HTTPResponse {
        let path = request.target.segments
        switch (request.method, path.first, path.count) {
        case ("GET", "menu", 1): return try await list()
        case ("GET", "menu", 2): return try await show(path[1])
        case ("PUT", "menu", 2): return try await keep(body, as: path[1])
        case ("GET", "metrics", 1):
            return page("text/plain; version=0.0.4", DivanMetrics.text)
        default: throw HTTPError(404, "there is /menu, /menu/DISH and /metrics")
        }
    }

    private func list() async throws -> HTTPResponse {
        let dishes = try await menu.documents(of: Document.self, orderBy: .byID).all()
        return page("application/json", "[\(dishes.map(\.json).joined(separator: ","))]")
    }

    private func show(_ dish: String) async throws -> HTTPResponse {
        guard let document = try await menu.get(dish) else {
            throw HTTPError(404, "no dish of that name")
        }
        return page("application/json", document.json)
    }

    private func keep(_ body: [UInt8], as dish: String) async throws -> HTTPResponse {
        let json = String(decoding: body, as: UTF8.self)
        guard let document = try? Document(id: dish, json: json) else {
            throw HTTPError(400, "the body is not a JSON object")
        }
        try await menu.save(document)
        return HTTPResponse(status: 204)
    }

    private func page(_ type: String, _ text: String) -> HTTPResponse {
        HTTPResponse(contentType: type, Array(text.utf8))
    }
}

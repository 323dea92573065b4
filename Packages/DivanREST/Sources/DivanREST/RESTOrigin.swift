import DivanHTTP

/// Which pages of the web may use the server (CORS).
///
/// Without an allowed origin nothing is said, and browsers keep answers from pages of other origins.
///
/// Source: the Fetch standard, §3.2.
struct RESTOrigin: Sendable {
    private let request: HTTPRequest
    private let allowed: String?

    init(_ request: HTTPRequest, allowed origins: [String]) {
        self.request = request
        let origin = request.headers["Origin"]
        allowed = origin.flatMap { origin in
            if origins.contains("*") { return "*" }
            return origins.first { $0.utf8.elementsEqual(origin.utf8) }
        }
    }

    /// The answer to a browser that asks before it sends; `nil` for any other request.
    var preflight: HTTPResponse? {
        guard request.method == "OPTIONS", allowed != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return nil }
        return HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": "GET, HEAD, PUT, POST, DELETE",
                "Access-Control-Allow-Headers":
                    "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID",
                "Access-Control-Max-Age": "600",
            ]
        )
    }

    /// The answer with the fields that let the page see it.
    func marking(_ response: HTTPResponse) -> HTTPResponse {
        guard let allowed else { return response }
        var response = response
        response.headers.append("Access-Control-Allow-Origin", allowed)
        response.headers.append("Access-Control-Expose-Headers", "ETag, Location")
        if allowed != "*" {
            response.headers.append("Access-Control-Allow-Credentials", "true")
            response.headers.append("Vary", "Origin")
        }
        return response
    }
}

import DivanAuth
import DivanHTTP
import Glibc

/// Which pages of the web may use the server (CORS), and what keeps the others out.
///
/// Without an allowed origin nothing is said, and browsers keep answers from pages of other origins. Two ways
/// are left to such a page: a POST that it sends without seeing the answer, which is refused; and a name of its
/// own that is made to point here (DNS rebinding), under which the browser takes the server for a part of the
/// page. Where nobody is asked who they are, so that this is enough to be let in, and no certificate proves
/// the name, a request has to come under an address or a name that nobody can register.
///
/// Source: the Fetch standard, §3.2; RFC 6761, RFC 6762, RFC 8375.
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

    /// Why a page of the web may not send this; `nil` lets it go on.
    ///
    /// `names` are those under which the server may be asked, beside addresses and names of local networks;
    /// `nil` takes every name. `isSecure` tells whether the request came by TLS.
    func refusal(names: [String]?, isSecure: Bool) -> RESTError? {
        let field = request.headers["Host"] ?? ""
        let host = HostField(field)
        if let names, !field.isEmpty, !host.isLocal(or: names + [Self.ownName]) {
            let advice = "ask by its address, or give the server users or TLS"
            return RESTError(421, "misdirected", "nobody is called \(field) here; \(advice)")
        }
        guard let origin = request.headers["Origin"], !host.isOrigin(origin, isSecure: isSecure),
            !["GET", "HEAD", "OPTIONS"].contains(request.method)
        else { return nil }
        switch allowed {
        case nil:
            let advice = "allow that origin"
            return RESTError(403, "origin", "pages of \(origin) change nothing here; \(advice)")
        case "*" where request.method == "POST" && !isJSON:
            // A form is sent without being asked for leave, and with what the browser knows of its user.
            let advice = "name it in `origins`, or send application/json"
            return RESTError(403, "origin", "pages of \(origin) send no forms here; \(advice)")
        default: return nil
        }
    }

    private var isJSON: Bool {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
        return type.lowercased().utf8.elementsEqual("application/json".utf8)
    }

    private static let ownName: String = {
        var bytes = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        gethostname(&bytes, bytes.count - 1)
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: name, as: UTF8.self)
    }()

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
                    "Authorization, Content-Type, If-Match, If-None-Match, If-Range, Last-Event-ID, Range",
                "Access-Control-Max-Age": "600",
            ]
        )
    }

    /// The answer with the fields that let the page see it.
    func marking(_ response: HTTPResponse) -> HTTPResponse {
        guard let allowed else { return response }
        var response = response
        response.headers.append("Access-Control-Allow-Origin", allowed)
        response.headers.append(
            "Access-Control-Expose-Headers",
            "Accept-Ranges, Content-Range, ETag, Location"
        )
        if allowed != "*" {
            response.headers.append("Access-Control-Allow-Credentials", "true")
            response.headers.append("Vary", "Origin")
        }
        return response
    }
}

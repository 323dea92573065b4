import DivanAuth
import DivanHTTP

/// The web pages that may use the server (CORS), and the protection against others.
///
/// Without an allowed origin no CORS fields are sent, and browsers withhold answers from pages of other origins. Such a
/// page has three ways left: a POST sent without seeing the answer, which is refused; its own host name pointing here
/// (DNS rebinding), so that the browser treats the server as part of the page; and reads without seeing the answer,
/// endless ones of which take up the server's connections. Where no authentication is required, so that the latter two
/// would suffice, and no certificate proves the name, a request must use a name or an address of this machine,
/// and no page of another site may make the browser send it.
///
/// Source: the Fetch standard, §3.2; Fetch Metadata; `HostField`.
struct RESTOrigin: Sendable {
    private let request: HTTPRequest
    private let allowed: String?
    private let allowsAll: Bool

    init(_ request: HTTPRequest, allowed origins: [String]) {
        self.request = request
        allowsAll = origins.contains("*")
        let origin = request.headers["Origin"]
        allowed = origin.flatMap { origin in
            if origins.contains("*") { return "*" }
            return origins.first { $0.utf8.elementsEqual(origin.utf8) }
        }
    }

    /// The error for a web page that may not send this; `nil` if it may.
    ///
    /// `names` are the allowed host names besides this machine's own; `nil` allows every name. `isOpen` says whether
    /// neither credentials nor TLS protect the server, `isSecure` whether the request came over TLS.
    func refusal(names: [String]?, isOpen: Bool, isSecure: Bool) -> RESTError? {
        let field = request.headers["Host"]
        let host = HostField(field ?? "")
        if let names, !host.isOwn(or: names) {
            let advice = "use localhost or an address of this machine, or --rest-host"
            let fault = field.map { "host name \"\($0)\" is not allowed" } ?? "no host name"
            return RESTError(421, "misdirected", "\(fault); \(advice)")
        }
        if isOpen, isOfOtherSite, allowed == nil, !allowsAll {
            let advice = "allow the origin (--rest-origin), or require authentication"
            return RESTError(403, "origin", "pages from other sites cannot read data; \(advice)")
        }
        guard let origin = request.headers["Origin"], !host.isOrigin(origin, isSecure: isSecure),
            !["GET", "HEAD", "OPTIONS"].contains(request.method)
        else { return nil }
        switch allowed {
        case nil:
            let advice = "allow this origin (--rest-origin)"
            return RESTError(403, "origin", "pages from \(origin) cannot make changes; \(advice)")
        case "*" where request.method == "POST" && !isJSON:
            // A form is sent without asking for permission, and with the browser's stored credentials.
            let advice = "add it to `origins`, or send application/json"
            return RESTError(403, "origin", "pages from \(origin) cannot send forms; \(advice)")
        default: return nil
        }
    }

    /// Whether a browser says that a page of another site sends this, unless somebody follows a link.
    private var isOfOtherSite: Bool {
        let fields = request.headers
        guard let site = fields["Sec-Fetch-Site"], ["cross-site", "same-site"].contains(site)
        else { return false }
        return fields["Sec-Fetch-Mode"] != "navigate" || fields["Sec-Fetch-Dest"] != "document"
    }

    private var isJSON: Bool {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
        return type.lowercased().utf8.elementsEqual("application/json".utf8)
    }

    /// The answer to a browser's preflight request; `nil` for any other request.
    var preflight: HTTPResponse? {
        guard request.method == "OPTIONS", allowed != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return nil }
        return HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": "GET, HEAD, PUT, POST, PATCH, DELETE",
                "Access-Control-Allow-Headers":
                    "Authorization, Content-Type, If-Match, If-None-Match, If-Range, Last-Event-ID, Range",
                "Access-Control-Max-Age": "600",
            ]
        )
    }

    /// The answer with the header fields that let the page read it.
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

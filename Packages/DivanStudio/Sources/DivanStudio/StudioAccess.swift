import DivanCrypto
import DivanHTTP

/// Admits one person: 192 random bits, first in the address and then in a cookie.
struct StudioToken: Sendable {
    /// The token as in addresses and cookies.
    let text: String

    init(random: some RandomSource) {
        text = Base64.encode(random.bytes(24).span).replacing("+", with: "-")
            .replacing("/", with: "_")
    }

    /// Compares in constant time, which reveals nothing about the token.
    func matches(_ other: String) -> Bool {
        let (ours, theirs) = (Array(text.utf8), Array(other.utf8))
        return isEqualInConstantTime(ours.span, theirs.span)
    }
}

/// Decides whether a request comes from the person who was given the address.
///
/// Three things could send requests here against that person's will: a program that guesses the port (it lacks the
/// token); a web page whose name is made to point here, DNS rebinding (its Host header has another name); and a page
/// that makes the browser send the cookie (the cookie is `SameSite=Strict`, and requests that change something must
/// come from our own origin).
///
/// `StudioService` prevents a fourth: a server of another user at another port of 127.0.0.1, to which browsers send
/// the cookie, too.
struct StudioAccess: Sendable {
    enum Decision: Equatable {
        case enter
        /// The token was in the address: it is moved to the cookie.
        case welcome(cookie: String)
        case refuse(HTTPError)
    }

    let token: StudioToken

    func decide(about request: HTTPRequest, port: UInt16) -> Decision {
        let host = request.headers["Host"] ?? ""
        // Browsers omit the default port of the scheme, even in Origin.
        let end = port == 80 && !host.hasSuffix(":80") ? "" : ":\(port)"
        guard ["127.0.0.1\(end)", "localhost\(end)"].contains(host) else {
            let advice = "open the URL printed by divan studio, with the host 127.0.0.1"
            return .refuse(HTTPError(421, "wrong host name; \(advice)"))
        }
        if let given = request.target["token"], token.matches(given) {
            let rest = "Path=/; HttpOnly; SameSite=Strict"
            return .welcome(cookie: "\(Self.cookieName(port))=\(token.text); \(rest)")
        }
        guard cookies(of: request, port).contains(where: token.matches) else {
            let advice = "open the complete URL printed by divan studio"
            return .refuse(HTTPError(403, "the token is missing or wrong; \(advice)"))
        }
        guard ["GET", "HEAD"].contains(request.method) || isOwn(request, host) else {
            return .refuse(HTTPError(403, "only this page can make changes"))
        }
        return .enter
    }

    /// Whether a request that changes something comes from our page.
    private func isOwn(_ request: HTTPRequest, _ host: String) -> Bool {
        let type = request.headers["Content-Type"] ?? ""
        return request.headers["Origin"] == "http://\(host)"
            && type.prefix(16).isEqualIgnoringCase("application/json")
    }

    /// The cookies with our name: a browser may still have one of an earlier studio, for another path.
    private func cookies(of request: HTTPRequest, _ port: UInt16) -> [String] {
        let start = Self.cookieName(port) + "="
        return request.headers.values("Cookie").flatMap { $0.split(separator: ";") }
            .map { $0.trimmingBlanks() }.filter { $0.hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }

    /// Cookies are not specific to a port, so each studio on this machine has its own name.
    private static func cookieName(_ port: UInt16) -> String { "divan-studio-\(port)" }
}

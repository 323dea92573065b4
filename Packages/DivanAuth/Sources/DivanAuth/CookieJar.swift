/// The cookies of the servers of a database.
///
/// A value without a clock or file: times are seconds since 1970, and `encoded()` returns the text to store. Only
/// cookies with an expiration are stored.
///
/// Source: `websocket-and-urls.md` §8; RFC 6265. Unlike in LiteCore, a name keeps its letter case, because Sync
/// Gateway compares it exactly; without a `Domain`, a cookie is sent only to its host; and a host cannot set
/// cookies for its subdomains.
public struct CookieJar: Sendable, Equatable {
    /// The parts of a URL that cookies depend on.
    public typealias Location = CookieLocation

    /// Whether a host can set cookies for its parent domain; never for a domain with a single label.
    public var acceptsParentDomains: Bool
    /// The cookies, oldest first.
    public private(set) var cookies: [Cookie] = []

    /// Creates an empty jar.
    public init(acceptsParentDomains: Bool = false) {
        self.acceptsParentDomains = acceptsParentDomains
    }

    /// Stores the cookie of a `Set-Cookie` field, or deletes the cookie if it has expired.
    ///
    /// Malformed cookies and those for other domains are ignored, as HTTP requires. Beyond
    /// `AuthLimits.cookieCount` the oldest is deleted.
    public mutating func receive(_ setCookie: String, from location: Location, at now: Int64) {
        let found = Cookie(setCookie, from: location, at: now, parents: acceptsParentDomains)
        guard let cookie = found else { return }
        cookies.removeAll { $0.isSame(as: cookie) || $0.isExpired(at: now) }
        guard !cookie.isExpired(at: now) else { return }
        cookies.append(cookie)
        if cookies.count > AuthLimits.cookieCount { cookies.removeFirst() }
    }

    /// The value of the `Cookie` field for a request; `nil` if there are no cookies.
    ///
    /// Stored cookies come first, those with longer paths before others; then `configured`, the application's
    /// `name=value` pairs. A configured cookie overrides a stored cookie with the same name, because the
    /// application may have logged in again.
    public func header(
        for location: Location,
        at now: Int64,
        beside configured: String? = nil
    ) -> String? {
        let taken = (configured ?? "").split(separator: ";").map { pair in
            pair.prefix { $0 != "=" }.trimmed
        }
        let stored = cookies.filter { cookie in
            !cookie.isExpired(at: now) && cookie.matches(location)
                && !taken.contains { $0 == cookie.name }
        }
        let pairs = stored.enumerated().sorted { a, b in
            let (first, second) = (a.element.path.utf8.count, b.element.path.utf8.count)
            return first == second ? a.offset < b.offset : first > second
        }.map { "\($0.element.name)=\($0.element.value)" }
        let all = pairs + (configured.map { [$0] } ?? [])
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}

extension CookieJar {
    private static let heading = "divan-cookies 1"

    /// The cookies to store, as text: one line for each, with fields separated by tabs.
    public func encoded() -> [UInt8] {
        let lines = cookies.compactMap { cookie in
            cookie.expires.map { expires in
                [
                    cookie.name, cookie.value, cookie.domain, cookie.path, String(expires),
                    cookie.isHostOnly ? "host" : "domain", cookie.isSecure ? "secure" : "any",
                ].joined(separator: "\t")
            }
        }
        return Array(([Self.heading] + lines).map { $0 + "\n" }.joined().utf8)
    }

    /// Parses the result of `encoded()`.
    ///
    /// - Throws: `AuthenticationError.storedCookies` for anything else.
    public init(
        decoding bytes: Span<UInt8>,
        acceptsParentDomains: Bool = false
    ) throws(AuthenticationError) {
        self.init(acceptsParentDomains: acceptsParentDomains)
        let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first == Self.heading[...], lines.last?.isEmpty == true else {
            throw .storedCookies(line: 1)
        }
        for (index, line) in lines.dropFirst().dropLast().prefix(AuthLimits.cookieCount)
            .enumerated()
        {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard let cookie = Cookie(fields) else { throw .storedCookies(line: index + 2) }
            cookies.append(cookie)
        }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// Only the names: anyone with a session cookie can act as the user.
    public var description: String { "cookies \(cookies.map(\.name).joined(separator: ", "))" }

    /// Only the names, so that `dump` and `String(reflecting:)` hide the values too.
    public var customMirror: Mirror { Mirror(self, children: ["names": cookies.map(\.name)]) }
}

import DivanHTTP

/// A cookie and the requests that it applies to.
///
/// Source: RFC 6265 §5; `websocket-and-urls.md` §8.
public struct Cookie: Sendable, Equatable {
    /// The name, in the server's letter case.
    public let name: String
    /// The value, without quotes.
    public let value: String
    /// The host or domain, in lower case, without a leading dot.
    public let domain: String
    /// The path prefix of the requests that it is sent with.
    public let path: String
    /// When it expires, in seconds since 1970; `nil` if it ends with the process.
    public let expires: Int64?
    /// Whether it is sent only to `domain` itself, not to its subdomains.
    public let isHostOnly: Bool
    /// Whether it is sent only over encrypted connections.
    public let isSecure: Bool

    /// Whether the cookie has expired.
    public func isExpired(at now: Int64) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    /// Whether a request to `location` carries the cookie, regardless of its expiry.
    public func matches(_ location: CookieLocation) -> Bool {
        let isHost = location.host == domain || (!isHostOnly && isBelow(location.host, domain))
        return isHost && isWithinPath(location.path) && (location.isSecure || !isSecure)
    }

    /// Whether one replaces the other.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain.utf8.elementsEqual(other.domain.utf8)
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// RFC 6265 §5.1.4: the path itself, or something below it.
    private func isWithinPath(_ requestPath: String) -> Bool {
        guard requestPath.utf8.starts(with: path.utf8) else { return false }
        let rest = requestPath.utf8.dropFirst(path.utf8.count)
        return rest.isEmpty || path.hasSuffix("/") || rest.first == UInt8(ascii: "/")
    }
}

extension Cookie {
    /// Reads a `Set-Cookie` value; `nil` if it is malformed or claims another domain.
    init?(_ header: String, from location: CookieLocation, at now: Int64, parents: Bool) {
        guard header.utf8.count <= AuthLimits.cookieByteCount,
            !header.utf8.contains(where: { isControl($0) && $0 != 9 })
        else { return nil }
        var parts = header.split(separator: ";", omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts.removeFirst())
        guard let value, isToken(name.utf8) else { return nil }
        var unquoted = value
        if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            unquoted = value.dropFirst().dropLast()
        }
        guard !unquoted.utf8.contains(where: isControl) else { return nil }
        let attributes = Attributes(parts, at: now)

        let claimed = attributes.domain ?? location.host
        guard Self.may(location.host, claim: claimed, parents: parents) else { return nil }
        // A tab in either would end a field of the stored line, and make the jar unreadable.
        let path = attributes.path ?? Self.defaultPath(location.path)
        guard !claimed.utf8.contains(where: isControl), !path.utf8.contains(where: isControl)
        else { return nil }
        self.name = String(name)
        self.value = String(unquoted)
        domain = claimed
        self.path = path
        expires = attributes.expires
        isHostOnly = attributes.domain == nil
        isSecure = attributes.isSecure
    }

    /// Reads the fields of a stored line.
    init?(_ fields: [Substring]) {
        guard fields.count == 7, isToken(fields[0].utf8), let expires = Int64(fields[4]),
            ["host", "domain"].contains(fields[5]), ["secure", "any"].contains(fields[6])
        else { return nil }
        name = String(fields[0])
        value = String(fields[1])
        domain = String(fields[2])
        path = String(fields[3])
        self.expires = expires
        isHostOnly = fields[5] == "host"
        isSecure = fields[6] == "secure"
    }

    /// Whether `host` may set a cookie for `domain`, which must include it (RFC 6265 §5.3, step 6).
    private static func may(_ host: String, claim domain: String, parents: Bool) -> Bool {
        if domain == host { return true }
        // One label is a whole top-level domain, or another machine.
        return parents && isBelow(host, domain) && domain.utf8.contains(UInt8(ascii: "."))
    }

    /// The request's path without its last component.
    private static func defaultPath(_ requestPath: String) -> String {
        guard let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        let path = String(requestPath[..<slash])
        return path.isEmpty ? "/" : path
    }

    fileprivate static func pair(_ part: Substring) -> (name: Substring, value: Substring?) {
        guard let equals = part.firstIndex(of: "=") else { return (part.trimmed, nil) }
        return (part[..<equals].trimmed, part[part.index(after: equals)...].trimmed)
    }
}

/// Whether `name` is a host below `domain`; an IP address is below nothing.
private func isBelow(_ name: String, _ domain: String) -> Bool {
    let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
    return !isAddress && !domain.isEmpty && name.hasSuffix("." + domain)
}

/// The attributes after the first semicolon of a `Set-Cookie` value.
private struct Attributes {
    var domain: String?
    var path: String?
    var expires: Int64?
    var isSecure = false

    init(_ parts: [Substring], at now: Int64) {
        for part in parts {
            let (name, value) = Cookie.pair(part)
            switch (name.lowercased(), value) {
            case ("domain", let value?):
                let text = value.hasPrefix(".") ? value.dropFirst() : value
                domain = text.isEmpty ? nil : text.lowercased()
            case ("path", let value?):
                path = value.hasPrefix("/") ? String(value) : nil
            case ("max-age", let value?):
                // RFC 6265 §5.2.2; LiteCore has the same result unless both are given.
                if let seconds = Int64(value) {
                    let (sum, overflows) = now.addingReportingOverflow(max(seconds, -now))
                    expires = overflows ? Int64.max : sum
                    hasAge = true
                }
            case ("expires", let value?):
                if !hasAge, let seconds = HTTPDate.seconds(value) { expires = seconds }
            case ("secure", _): isSecure = true
            default: break
            }
        }
    }

    private var hasAge = false
}

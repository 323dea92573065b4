/// The location of a WebSocket server: scheme, host, port, and request target.
public struct WebSocketEndpoint: Hashable, Sendable {
    /// Whether TLS is used (`wss`).
    public let isSecure: Bool
    /// A host name or address; an IPv6 address has no brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// Path and query, beginning with a slash.
    public let target: String

    /// Creates an endpoint from parts that the caller has checked.
    public init(isSecure: Bool, host: String, port: UInt16, target: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.target = target
    }

    /// Parses `ws://host[:port][/path][?query]`, or the same with `wss`.
    ///
    /// - Throws: `WebSocketURLError` with the part that is wrong.
    public init(_ text: String) throws(WebSocketURLError) {
        try self.init(text, schemes: ["ws": false, "wss": true])
    }

    /// The value of the Host header: without the port if it is 80 or 443, for both schemes, and without a zone,
    /// which is meaningful only on this machine (RFC 6874 §4).
    public var hostHeader: String {
        let name = host.contains(":") ? "[\(certificateName)]" : host
        return port == 80 || port == 443 ? name : "\(name):\(port)"
    }

    /// The host for a name lookup: the zone of an IPv6 address follows an unescaped `%`.
    ///
    /// In a URL the `%` is percent-encoded (RFC 6874 §2).
    public var lookupName: String {
        guard host.contains(":"), let escape = host.firstRange(of: "%25") else { return host }
        return "\(host[..<escape.lowerBound])%\(host[escape.upperBound...])"
    }

    /// The host as it appears in certificates: an IPv6 address without its zone.
    public var certificateName: String {
        host.contains(":") ? String(host.prefix { $0 != "%" }) : host
    }

    /// The target of a redirect.
    ///
    /// - Parameter location: An absolute `http` or `https` URL, or a path that begins with `/`.
    /// - Returns: `nil` if it is neither (`websocket-and-urls.md` §3), or leads from TLS to plain text.
    public func redirected(to location: String) -> WebSocketEndpoint? {
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            guard location.utf8.allSatisfy(isURLByte) else { return nil }
            return WebSocketEndpoint(isSecure: isSecure, host: host, port: port, target: location)
        }
        let schemes = ["http": false, "https": true]
        guard let next = try? WebSocketEndpoint(location, schemes: schemes) else { return nil }
        return next.isSecure || !isSecure ? next : nil
    }

    /// Whether credentials for `first` can be sent to this endpoint after a redirect from `first`: only to the same
    /// host, and never from TLS to plain text.
    public func maySee(secretsFor first: WebSocketEndpoint) -> Bool {
        (isSecure || !first.isSecure) && host.isEqualIgnoringCase(first.host)
    }

    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}

extension WebSocketEndpoint: CustomStringConvertible {
    /// The URL, always with its port.
    public var description: String {
        "\(isSecure ? "wss" : "ws")://\(bracketedHost):\(port)\(target)"
    }
}

extension WebSocketEndpoint {
    init(_ text: String, schemes: [String: Bool]) throws(WebSocketURLError) {
        guard text.utf8.allSatisfy(isURLByte) else { throw WebSocketURLError(text, .character) }
        guard let colon = text.firstRange(of: "://") else { throw WebSocketURLError(text, .scheme) }
        guard let isSecure = schemes[text[..<colon.lowerBound].lowercased()] else {
            throw WebSocketURLError(text, .scheme)
        }
        let rest = text[colon.upperBound...]
        guard !rest.contains("#") else { throw WebSocketURLError(text, .query) }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw WebSocketURLError(text, .credentials) }
        guard let (host, port) = Self.split(authority) else { throw WebSocketURLError(text, .host) }
        let target = rest[end...]
        self.init(
            isSecure: isSecure,
            host: host,
            port: port ?? (isSecure ? 443 : 80),
            target: target.hasPrefix("/") ? String(target) : "/\(target)"
        )
    }

    /// Splits `host`, `host:port` or `[IPv6]:port`.
    private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<bracket]
            let rest = authority[authority.index(after: bracket)...]
            guard rest.isEmpty || rest.hasPrefix(":"), host.utf8.allSatisfy(isAddressByte),
                host.contains(":")
            else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else { return nil }
        guard authority.hasPrefix("[") || !host.contains(where: { "[]<>\\^`{|}%".contains($0) })
        else { return nil }
        guard let port, !port.isEmpty else { return (String(host), nil) }
        guard port.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = UInt16(port), number > 0
        else { return nil }
        return (String(host), number)
    }
}

private func isURLByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
}

/// Whether a byte may occur between the brackets of an IPv6 address, with a zone.
private func isAddressByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%") || byte.isHTTPTokenByte
}

public import DivanHTTP
public import DivanPlatform

/// The proxies whose `X-Forwarded-For` header is trusted to contain the client's address.
///
/// Any client can send this header, so it is used only if it comes from one of these addresses.
public struct TrustedProxies: Sendable, Equatable {
    private struct Network: Sendable, Equatable {
        let bits: [UInt8]
        let prefixLength: Int

        func contains(_ address: SocketAddress) -> Bool {
            let other = address.addressBytes
            guard other.count == bits.count else { return false }
            let (whole, rest) = prefixLength.quotientAndRemainder(dividingBy: 8)
            guard other.prefix(whole) == bits.prefix(whole) else { return false }
            guard rest > 0 else { return true }
            return (other[whole] ^ bits[whole]) >> (8 - rest) == 0
        }
    }

    private var networks: [Network] = []

    /// Trusts no proxies.
    public init() {}

    /// Trusts addresses, such as `127.0.0.1` and `::1`, and networks, such as `10.0.0.0/8`.
    ///
    /// Returns `nil` if one of the strings is neither.
    public init?(_ texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = Self.number(parts[0]) else { return nil }
            let bits = address.addressBytes
            var length = 8 * bits.count
            if parts.count == 2 {
                guard let given = Int(parts[1]), (0...length).contains(given) else { return nil }
                length = given
            }
            networks.append(Network(bits: bits, prefixLength: length))
        }
    }

    /// The address of the client that made a request: the peer's, unless the peer is a trusted proxy.
    ///
    /// If the header contains several addresses, the last that does not belong to a trusted proxy is used: the
    /// addresses before it are set by the client.
    public func client(at peer: SocketAddress, _ headers: HTTPHeaders) -> SocketAddress {
        guard !networks.isEmpty, isTrusted(peer) else { return peer }
        var client = peer
        for text in headers.elements("X-Forwarded-For").reversed() {
            guard let address = Self.address(text) else { return client }
            client = address
            guard isTrusted(address) else { return client }
        }
        return client
    }

    private func isTrusted(_ address: SocketAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// An address as proxies write it, with or without a port.
    private static func address(_ text: String) -> SocketAddress? {
        var host = text[...]
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            host = host[host.index(after: host.startIndex)..<end]
        } else if host.contains("."), let colon = host.firstIndex(of: ":"),
            host.lastIndex(of: ":") == colon
        {
            host = host[..<colon]
        }
        // A zone is a name of this machine's, and a client's own choice.
        guard !host.contains("%") else { return nil }
        return number(host)
    }

    /// A whole address; the system also reads shorter forms, such as `10.1`.
    private static func number(_ text: Substring) -> SocketAddress? {
        guard text.contains(":") || text.count(where: { $0 == "." }) == 3 else { return nil }
        return SocketAddress(host: String(text), port: 0)
    }
}

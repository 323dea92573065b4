internal import DivanHTTP

extension DiscoveredPeer {
    /// The URL of the listener, from its attributes `scheme` and `database`, which `divan serve --advertise`
    /// sets; `nil` without a port or a usable host.
    ///
    /// The attributes are untrusted. The scheme is `wss` unless the attribute is `ws`, and the attribute `database` is
    /// percent-encoded as one path component. For the host, an address without a zone is preferred, then the host name,
    /// then an address with a zone.
    public var url: String? {
        guard port > 0, let place else { return nil }
        let scheme = attributes["scheme"] == "ws" ? "ws" : "wss"
        return "\(scheme)://\(place):\(port)/\(HTTPTarget.segment(attributes["database"] ?? ""))"
    }

    private var place: String? {
        if let address = addresses.first(where: { !$0.contains("%") }) {
            return address.contains(":") ? "[\(address)]" : address
        }
        if Self.isHostName(host) { return host }
        return addresses.first.map { address in
            let parts = address.split(separator: "%", maxSplits: 1)
            let zone = parts.count > 1 ? "%25" + HTTPTarget.segment(String(parts[1])) : ""
            return "[\(parts.first ?? "")\(zone)]"
        }
    }

    /// Whether no character in it would end the host in a URL.
    private static func isHostName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { HTTPTarget.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
}

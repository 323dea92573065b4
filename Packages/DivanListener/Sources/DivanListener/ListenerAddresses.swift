import DivanPlatform

/// The names and addresses of this machine.
///
/// Source: `behaviour.md` §13 (urls).
public enum ListenerAddresses {
    /// Returns the hosts for URLs, as text, with IPv6 addresses in brackets.
    ///
    /// If `interface`, a name or an address, is given, only its addresses. If it is `nil` or `::`, the addresses of all
    /// interfaces, and the host name last. `0.0.0.0` means all IPv4 addresses.
    public static func hosts(interface: String?) -> [String] {
        let names = [hostName()].compactMap(\.self)
        let all = addresses(ofInterface: nil)
        guard let interface, interface != "::" else { return all.map(\.urlHost) + names }
        if interface == "0.0.0.0" { return all.filter { !$0.isIPv6 }.map(\.urlHost) + names }
        let found = addresses(ofInterface: interface)
        if !found.isEmpty { return found.prefix(1).map(\.urlHost) }
        return [Self.bracketed(interface)]
    }

    /// One address of one interface.
    private struct Address {
        let text: String
        let isIPv6: Bool

        /// `nil` if the system cannot write the address.
        init?(_ address: SocketAddress) {
            guard let text = address.numericHost else { return nil }
            self.text = text
            isIPv6 = address.family == .ipv6
        }

        var urlHost: String { isIPv6 ? bracketed(text) : text }
    }

    /// An address as written in a URL: IPv6 in brackets, the percent sign before its zone encoded.
    ///
    /// Source: RFC 6874 §2.
    static func bracketed(_ address: String) -> String {
        guard address.contains(":") else { return address }
        guard let percent = address.firstIndex(of: "%") else { return "[\(address)]" }
        return "[\(address[..<percent])%25\(address[address.index(after: percent)...])]"
    }

    private static func addresses(ofInterface name: String?) -> [Address] {
        let addresses = NetworkInterface.all()
            .filter { $0.isUp && (name == nil || $0.name == name) }
            .compactMap { Address($0.address) }
        // IPv4 first: those need no brackets and no zone, so people try them first.
        return addresses.filter { !$0.isIPv6 } + addresses.filter(\.isIPv6)
    }
}

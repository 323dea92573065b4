import Glibc

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

        /// Reads the address of an interface; `nil` for families other than IPv4 and IPv6.
        ///
        /// The pointer comes from `getifaddrs` and is valid during the call.
        init?(_ address: UnsafeMutablePointer<sockaddr>?) {
            guard let address else { return nil }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { return nil }
            isIPv6 = family == AF_INET6
            let length = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                address,
                socklen_t(length),
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            guard status == 0 else { return nil }
            self.text = textBefore(zeroIn: text)
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
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [Address] = []
        var next = first
        // The list comes from getifaddrs and is freed after the loop; each entry points to the next.
        while let entry = next?.pointee {
            next = entry.ifa_next
            let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
            guard isUp, name == nil || String(cString: entry.ifa_name) == name,
                let address = Address(entry.ifa_addr)
            else { continue }
            addresses.append(address)
        }
        // IPv4 first: those need no brackets and no zone, so people try them first.
        return addresses.filter { !$0.isIPv6 } + addresses.filter(\.isIPv6)
    }

    private static func hostName() -> String? {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&name, name.count) == 0 else { return nil }
        let text = textBefore(zeroIn: name)
        return text.isEmpty ? nil : text
    }
}

/// The text that a C function wrote.
private func textBefore(zeroIn characters: [CChar]) -> String {
    String(
        decoding: characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) },
        as: UTF8.self
    )
}

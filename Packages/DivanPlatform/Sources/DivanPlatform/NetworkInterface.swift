internal import CDivanPlatform
internal import Glibc

/// An address of a network interface of this machine.
public struct NetworkInterface: Sendable {
    /// The interface, such as `eth0`.
    public let name: String
    /// Whether the interface is up.
    public let isUp: Bool
    /// The address, with port 0.
    public let address: SocketAddress

    /// All IPv4 and IPv6 addresses of this machine; empty if the system does not list them.
    public static func all() -> [NetworkInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var interfaces: [NetworkInterface] = []
        // The list belongs to the system; its elements are valid until it is freed above.
        var element = list
        while let current = element?.pointee {
            if let address = SocketAddress(current.ifa_addr, length(of: current.ifa_addr)) {
                interfaces.append(
                    NetworkInterface(
                        name: String(cString: current.ifa_name),
                        isUp: current.ifa_flags & UInt32(IFF_UP) != 0,
                        address: address
                    )
                )
            }
            element = current.ifa_next
        }
        return interfaces
    }

    private static func length(of address: UnsafePointer<sockaddr>?) -> socklen_t {
        switch address.map({ Int32($0.pointee.sa_family) }) {
        case AF_INET: socklen_t(MemoryLayout<sockaddr_in>.size)
        case AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size)
        default: 0
        }
    }

    /// The name of the interface with this number; `nil` if there is none.
    public static func name(ofIndex index: UInt32) -> String? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        return if_indextoname(index, &name) == nil ? nil : text(in: name)
    }

    /// Opens a descriptor that becomes readable whenever a link, an address or a route of this machine changes.
    ///
    /// - Returns: `nil` where the system does not permit that.
    public static func changes() -> FileDescriptor? {
        let descriptor = divan_network_watch_create()
        return descriptor < 0 ? nil : FileDescriptor(descriptor)
    }
}

/// Converts IP addresses between text and network bytes.
public enum IPAddress {
    /// 4 or 16 bytes in network order; `nil` if `text` is not an address but, for instance, a name.
    public static func bytes(_ text: String) -> [UInt8]? {
        bytes(text, of: .ipv4) ?? bytes(text, of: .ipv6)
    }

    /// The bytes of an address of one family.
    public static func bytes(_ text: String, of family: SocketAddress.Family) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16)
        // `inet_pton` writes that many bytes for this family, and nothing unless it returns 1.
        return inet_pton(family.rawValue, text, &bytes) == 1 ? bytes : nil
    }

    /// The usual text for 4 or 16 bytes; `nil` for any other count.
    public static func text(_ bytes: [UInt8]) -> String? {
        let family: SocketAddress.Family
        switch bytes.count {
        case 4: family = .ipv4
        case 16: family = .ipv6
        default: return nil
        }
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let count = socklen_t(characters.count)
        guard inet_ntop(family.rawValue, bytes, &characters, count) != nil else { return nil }
        return DivanPlatform.text(in: characters)
    }
}

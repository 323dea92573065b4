import Glibc

/// Finds the addresses of a network interface.
enum NetworkInterface {
    /// The addresses of the interface that `text` means, a name such as `eth0` or a numeric address.
    ///
    /// - Returns: Empty if there is no such interface.
    static func addresses(of text: String) -> [SocketAddress] {
        if let address = SocketAddress(host: text, port: 0) { return [address] }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [SocketAddress] = []
        // The list belongs to the system; its elements are valid until it is freed above.
        var element = list
        while let current = element?.pointee {
            if String(cString: current.ifa_name) == text,
                let address = SocketAddress(current.ifa_addr, length(of: current.ifa_addr))
            {
                addresses.append(address)
            }
            element = current.ifa_next
        }
        return addresses
    }

    private static func length(of address: UnsafePointer<sockaddr>?) -> socklen_t {
        switch address.map({ Int32($0.pointee.sa_family) }) {
        case AF_INET: socklen_t(MemoryLayout<sockaddr_in>.size)
        case AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size)
        default: 0
        }
    }
}

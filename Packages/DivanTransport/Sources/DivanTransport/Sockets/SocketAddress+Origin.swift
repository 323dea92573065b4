public import DivanPlatform

/// An IP address and a port.
public typealias SocketAddress = DivanPlatform.SocketAddress

extension SocketAddress {
    /// The owner of an address: a client owns a whole /64 of IPv6.
    enum Origin: Hashable {
        case ipv4(UInt32)
        case ipv6(network: UInt64)
    }

    /// The owner; an IPv4 address received over IPv6 counts as IPv4.
    var origin: Origin {
        let address = addressBytes
        let number = address.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return address.count == 4
            ? .ipv4(UInt32(truncatingIfNeeded: number)) : .ipv6(network: number)
    }
}

extension NetworkInterface {
    /// The addresses of the interface that `text` means, a name such as `eth0` or a numeric address.
    ///
    /// - Returns: Empty if there is no such interface.
    static func addresses(of text: String) -> [SocketAddress] {
        if let address = SocketAddress(host: text, port: 0) { return [address] }
        return NetworkInterface.all().filter { $0.name == text }.map(\.address)
    }
}

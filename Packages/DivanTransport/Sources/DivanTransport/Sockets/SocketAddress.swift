import Glibc

/// An IP address and a port, in the form that the socket calls use.
public struct SocketAddress: Hashable, Sendable {
    /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Parses a numeric address; `nil` for a name.
    ///
    /// - Parameters:
    ///   - host: Dotted IPv4, or IPv6 without brackets, with a zone if required.
    ///   - port: The port.
    public init?(host: String, port: UInt16) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        self.init(list.pointee.ai_addr, list.pointee.ai_addrlen)
    }

    /// Copies an address returned by a system call; `nil` for families other than IPv4 and IPv6.
    ///
    /// The pointer is valid for `length` bytes during the call.
    init?(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) {
        guard let address, length >= socklen_t(MemoryLayout<sockaddr_in>.size) else { return nil }
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// The address without its port; an IPv4 address received over IPv6 is written as IPv4.
    public var host: String {
        // In a `sockaddr_in` the address follows the port.
        if family == AF_INET { return "\(bytes[4]).\(bytes[5]).\(bytes[6]).\(bytes[7])" }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withPointer {
            getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard status == 0 else { return "?" }
        // A zone is the name of an interface and may contain any bytes.
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let host = String(decoding: bytes, as: UTF8.self)
        return host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
    }

    /// The port.
    public var port: UInt16 {
        // Both families store it in network order after the family's two bytes.
        UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// Whether this is a loopback address.
    public var isLoopback: Bool {
        switch origin {
        case .ipv4(let address): address >> 24 == 127
        case .ipv6: host == "::1"
        }
    }

    /// The owner of an address: a client owns a whole /64 of IPv6.
    enum Origin: Hashable {
        case ipv4(UInt32)
        case ipv6(network: UInt64)
    }

    /// The owner; an IPv4 address received over IPv6 counts as IPv4.
    var origin: Origin {
        let number = { (part: ArraySlice<UInt8>) in part.reduce(0) { $0 << 8 | UInt64($1) } }
        // In a `sockaddr_in` the address follows the port, in a `sockaddr_in6` the flow label.
        guard family == AF_INET6, bytes.count >= 24 else {
            return .ipv4(UInt32(truncatingIfNeeded: number(bytes[4..<8])))
        }
        guard number(bytes[8..<16]) == 0, number(bytes[16..<20]) == 0xFFFF else {
            return .ipv6(network: number(bytes[8..<16]))
        }
        return .ipv4(UInt32(truncatingIfNeeded: number(bytes[20..<24])))
    }

    /// The address in network order: 4 bytes, or 16 for IPv6; an IPv4 address received over IPv6 counts as IPv4.
    var addressBytes: [UInt8] {
        // In a `sockaddr_in` the address follows the port, in a `sockaddr_in6` the flow label.
        guard family == AF_INET6, bytes.count >= 24 else { return Array(bytes[4..<8]) }
        guard case .ipv4 = origin else { return Array(bytes[8..<24]) }
        return Array(bytes[20..<24])
    }

    /// The address family, `AF_INET` or `AF_INET6`.
    var family: Int32 { withPointer { address, _ in Int32(address.pointee.sa_family) } }

    /// The same address with another port.
    func withPort(_ port: UInt16) -> SocketAddress {
        var changed = bytes
        changed[2] = UInt8(port >> 8)
        changed[3] = UInt8(port & 0xFF)
        return SocketAddress(bytes: changed)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Lends the address to a system call.
    ///
    /// It is copied into a `sockaddr_storage`, which is aligned for every family and larger than any of them, and the
    /// pointer does not outlive the call.
    func withPointer<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(bytes.count))
            }
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:4984` or `[::1]:4984`.
    public var description: String {
        let host = host
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

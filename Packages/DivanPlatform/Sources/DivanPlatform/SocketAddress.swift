internal import Glibc

/// An IP address and a port, in the form that the socket calls use.
public struct SocketAddress: Hashable, Sendable {
    /// The family of an address.
    public enum Family: Sendable {
        /// IPv4.
        case ipv4
        /// IPv6.
        case ipv6

        var rawValue: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
    }

    /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Parses a numeric address; `nil` for a name.
    ///
    /// - Parameters:
    ///   - host: Dotted IPv4, or IPv6 without brackets, with a zone if required.
    ///   - port: The port.
    public init?(host: String, port: UInt16) {
        guard
            let address = try? Self.resolve(
                host,
                port: port,
                options: [.numericHost, .numericPort]
            )
            .first
        else { return nil }
        self = address
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

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The address family.
    public var family: Family {
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }
        return Int32(number) == AF_INET ? .ipv4 : .ipv6
    }

    /// The address without its port; an IPv4 address received over IPv6 is written as IPv4.
    public var host: String {
        // In a `sockaddr_in` the address follows the port.
        if family == .ipv4 { return "\(bytes[4]).\(bytes[5]).\(bytes[6]).\(bytes[7])" }
        guard let host = numericHost else { return "?" }
        return host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
    }

    /// The address as the system writes it, with a zone if it has one; `nil` if the system cannot.
    public var numericHost: String? {
        var characters = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let count = socklen_t(characters.count)
        let status = withPointer {
            getnameinfo($0, $1, &characters, count, nil, 0, NI_NUMERICHOST)
        }
        // A zone is the name of an interface and may contain any bytes.
        return status == 0 ? text(in: characters) : nil
    }

    /// The port.
    public var port: UInt16 {
        // Both families store it in network order after the family's two bytes.
        UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The address in network order: 4 bytes, or 16 for IPv6; an IPv4 address received over IPv6 counts as IPv4.
    public var addressBytes: [UInt8] {
        // In a `sockaddr_in` the address follows the port, in a `sockaddr_in6` the flow label.
        guard family == .ipv6, bytes.count >= 24 else { return Array(bytes[4..<8]) }
        let isMapped =
            bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
        return Array(isMapped ? bytes[20..<24] : bytes[8..<24])
    }

    /// Whether this is a loopback address.
    public var isLoopback: Bool {
        let address = addressBytes
        return address.count == 4 ? address[0] == 127 : host == "::1"
    }

    /// The same address with another port.
    public func withPort(_ port: UInt16) -> SocketAddress {
        var changed = bytes
        changed[2] = UInt8(port >> 8)
        changed[3] = UInt8(port & 0xFF)
        return SocketAddress(bytes: changed)
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

    /// The address that a system call writes.
    static func written(
        by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, address: SocketAddress?) {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The storage is larger than any address, and only borrowed for the call.
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result = call(address, &byteCount)
                return (result, result < 0 ? nil : SocketAddress(address, byteCount))
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

// MARK: Names

/// A name that could not be resolved.
public struct LookupError: Error, Hashable, Sendable {
    /// The code of `getaddrinfo`.
    public let code: Int32

    /// Wraps a code.
    public init(code: Int32) {
        self.code = code
    }

    /// Not enough memory.
    public static var noMemory: LookupError { LookupError(code: EAI_MEMORY) }

    /// Whether the name does not exist, or has no address (`EAI_NODATA` of glibc).
    public var isUnknownHost: Bool { code == EAI_NONAME || code == -5 }

    /// The system's text.
    public var text: String { String(cString: gai_strerror(code)) }
}

extension SocketAddress {
    /// How a name is resolved.
    public struct ResolveOptions: OptionSet, Sendable {
        /// The flags of `getaddrinfo`.
        public let rawValue: Int32

        /// Wraps flags.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The host must be an address.
        public static let numericHost = ResolveOptions(rawValue: AI_NUMERICHOST)
        /// The port is a number, not the name of a service.
        public static let numericPort = ResolveOptions(rawValue: AI_NUMERICSERV)
        /// Only the families that this machine has an address of.
        public static let configured = ResolveOptions(rawValue: AI_ADDRCONFIG)
        /// Addresses to listen on.
        public static let passive = ResolveOptions(rawValue: AI_PASSIVE)
    }

    /// Resolves a name; blocks, for seconds if a name server is down.
    ///
    /// - Returns: The addresses, best first (RFC 6724); may be empty.
    public static func resolve(
        _ host: String,
        port: UInt16,
        options: ResolveOptions = []
    ) throws(LookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = options.rawValue
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw LookupError(code: status) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        // The list belongs to the system; its elements are valid until it is freed above.
        var element = list
        while let current = element?.pointee {
            if let address = SocketAddress(current.ai_addr, current.ai_addrlen) {
                addresses.append(address)
            }
            element = current.ai_next
        }
        return addresses
    }
}

/// The name of this machine; `nil` if it has none.
public func hostName() -> String? {
    var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    guard gethostname(&name, name.count) == 0 else { return nil }
    let found = text(in: name)
    return found.isEmpty ? nil : found
}

import Glibc

/// The simplest way to talk to a server; a read or write that exceeds the timeout fails.
final class BlockingSocket {
    private let descriptor: Int32

    init(_ host: String, _ port: UInt16, patience: Int = 10) throws(ProbeError) {
        var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let status = getaddrinfo(host, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard status == 0 else {
            throw ProbeError(
                description: "\(host): \(String(cString: gai_strerror(status)))",
                isUnknownHost: true
            )
        }
        var connected: Int32 = -1
        for address in sequence(first: found, next: { $0?.pointee.ai_next }) where connected < 0 {
            if let address { connected = Self.connected(to: address.pointee, patience) }
        }
        guard connected >= 0 else {
            throw ProbeError(
                description: "\(host) port \(port): \(String(cString: strerror(errno)))",
                isUnknownHost: false
            )
        }
        descriptor = connected
    }

    private static func connected(to address: addrinfo, _ patience: Int) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        var wait = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let byteCount = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, option, &wait, byteCount)
        }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
        let problem = errno
        close(descriptor)
        errno = problem
        return -1
    }

    deinit { close(descriptor) }

    /// Writes everything; a broken connection is noticed when reading.
    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The next bytes; empty if there are no more.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }
}

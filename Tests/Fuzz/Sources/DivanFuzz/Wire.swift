import Glibc

/// A TCP connection within this machine; nothing it does waits for ever.
final class Wire {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Takes over an open socket.
    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_SNDTIMEO,
            &wait,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var one: Int32 = 1
        setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &one,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Connects; `nil` when nobody listens there.
    convenience init?(to port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard loopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        self.init(adopting: descriptor)
    }

    deinit { Glibc.close(descriptor) }

    /// Sends everything; false when the other side is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The system reads `rest` during the call.
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What has arrived within the time: nothing, or bytes; `nil` when the other side is gone.
    func receive(within milliseconds: Int32) -> [UInt8]? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return [] }
        // The system writes at most what the buffer holds during the call.
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

/// Listens within this machine, on a port that the system chooses.
final class Door {
    let port: UInt16
    private let descriptor: Int32

    /// `nil` when the system has no socket left.
    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = loopback(0) { bind(descriptor, $0, $1) } == 0
        // The system writes at most `byteCount` bytes of an address during the call.
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound, isNamed, listen(descriptor, 16) == 0 else { return nil }
    }

    deinit { Glibc.close(descriptor) }

    /// Who comes in within the time.
    func accept(within milliseconds: Int32) -> Wire? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return nil }
        let visitor = Glibc.accept(descriptor, nil, nil)
        return visitor < 0 ? nil : Wire(adopting: visitor)
    }
}

private func loopback(
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // The system reads the address during the call, as the general form of one.
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

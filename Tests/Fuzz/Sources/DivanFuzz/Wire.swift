import DivanTestKit
import Glibc

/// A local TCP connection; nothing it does waits for ever.
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

    /// Connects; `nil` if no process listens there.
    convenience init?(to port: UInt16) {
        guard let descriptor = Loopback.connect(to: port) else { return nil }
        self.init(adopting: descriptor)
    }

    deinit { Glibc.close(descriptor) }

    /// Sends everything; false if the other side has closed.
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

    /// What has arrived in time: nothing, or bytes; `nil` if the other side has closed.
    func receive(within milliseconds: Int32) -> [UInt8]? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return [] }
        // The system writes at most the buffer's size during the call.
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

/// Listens locally, on a port that the system chooses.
final class LoopbackListener {
    let port: UInt16
    private let descriptor: Int32

    /// `nil` if the system has no socket left.
    init?() {
        guard let (descriptor, port) = try? Loopback.listen() else { return nil }
        self.descriptor = descriptor
        self.port = port
    }

    deinit { Glibc.close(descriptor) }

    /// The next client that connects in time.
    func accept(within milliseconds: Int32) -> Wire? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return nil }
        let visitor = Glibc.accept(descriptor, nil, nil)
        return visitor < 0 ? nil : Wire(adopting: visitor)
    }
}

import DivanWebSocket
import Glibc
import Synchronization

/// A plain blocking socket, for peers that break the rules.
///
/// Every wait ends after ten seconds, so that a test fails instead of hanging.
final class RawSocket: Sendable {
    let descriptor: Int32
    private let failureCode = Mutex<Int32>(0)

    /// What broke the connection during a receive; 0 if nothing did.
    var failure: Int32 { failureCode.withLock { $0 } }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        var wait = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &wait,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    /// Connects to a local port, from 127.0.0.`source`.
    init?(port: UInt16, source: UInt8 = 1) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var own = Self.address(port: 0)
        own.sin_addr.s_addr = (UInt32(127) << 24 | UInt32(source)).bigEndian
        var status = Self.withAddress(&own) { bind(descriptor, $0, $1) }
        var address = Self.address(port: port)
        if status == 0 { status = Self.withAddress(&address) { connect(descriptor, $0, $1) } }
        guard status == 0 else {
            // Before `self` owns it: `deinit` would close it again, and by then the number may be another socket's.
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        var wait = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &wait,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit {
        Glibc.close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// The next bytes; empty at the end of the stream, or if it broke.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { failureCode.withLock { [errno] in $0 = errno } }
        return Array(buffer.prefix(max(0, count)))
    }

    /// Everything until the end of the stream.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// Like `receiveAll()`, on a thread of its own.
    ///
    /// For tests: one that waits must not hold a thread that all tests share.
    func received() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            RawServer.startThread { continuation.resume(returning: self.receiveAll()) }
        }
    }

    /// Like `receiveHead()`, on a thread of its own.
    func receivedHead() async -> String {
        await withCheckedContinuation { continuation in
            RawServer.startThread { continuation.resume(returning: self.receiveHead()) }
        }
    }

    /// Everything up to and including the end of a head.
    func receiveHead() -> String {
        var head = ""
        while !head.contains("\r\n\r\n") {
            let piece = receive()
            if piece.isEmpty { break }
            head += String(decoding: piece, as: UTF8.self)
        }
        return head
    }

    /// Reads an upgrade request and accepts it.
    func acceptUpgrade() {
        var handshake = ServerHandshake()
        let head = Array(receiveHead().utf8)
        handshake.receive(head.span)
        guard let request = try? handshake.next(),
            let answer = try? request.accept(subprotocol: request.subprotocols.first)
        else { return }
        send(answer)
    }

    /// Returns when the other end's system has received everything sent, or the connection broke.
    func waitUntilTaken() {
        var count: Int32 = 1
        while count > 0, ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 { sched_yield() }
    }

    /// Ends this direction; the other end may continue.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// A plain server that passes each connection to a closure, on a thread of its own.
final class RawServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(_ serve: @escaping @Sendable (RawSocket) -> Void) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = RawSocket.address(port: 0)
        _ = RawSocket.withAddress(&address) { bind(descriptor, $0, $1) }
        listen(descriptor, 16)
        port = SocketPorts(descriptor).own ?? 0
        Self.startThread {
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else {
                    // Here and not in `deinit`, because `accept` might be called on another's.
                    Glibc.close(descriptor)
                    return
                }
                let connection = RawSocket.accepted(accepted)
                Self.startThread { serve(connection) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    fileprivate static func startThread(_ work: @escaping @Sendable () -> Void) {
        final class Work: Sendable {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        var thread = pthread_t()
        // The thread takes over the reference retained here.
        let work = Unmanaged.passRetained(Work(work)).toOpaque()
        pthread_create(
            &thread,
            nil,
            { argument in
                argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            },
            work
        )
        pthread_detach(thread)
    }
}

extension RawSocket {
    fileprivate static func accepted(_ descriptor: Int32) -> RawSocket {
        RawSocket(descriptor: descriptor)
    }

    fileprivate static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    fileprivate static func withAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// A valid upgrade request, as text.
let upgradeText = """
    GET /db/_blipsync HTTP/1.1\r
    Host: h\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r
    \r

    """

import DivanTLS
import Glibc

/// A blocking TCP socket on 127.0.0.1; a read that takes ten seconds fails instead of hanging.
final class LoopbackSocket {
    struct Failure: Error {
        let call: String
        let errno: Int32
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) throws {
        guard descriptor >= 0 else { throw Failure(call: "socket", errno: errno) }
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, length)
    }

    deinit {
        close(descriptor)
    }

    static func listening() throws -> LoopbackSocket {
        let socket = try LoopbackSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let bound = withAddress(port: 0) { bind(socket.descriptor, $0, $1) }
        guard bound == 0, listen(socket.descriptor, 8) == 0 else {
            throw Failure(call: "listen", errno: errno)
        }
        return socket
    }

    static func connected(to port: UInt16) throws -> LoopbackSocket {
        let socket = try LoopbackSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let connected = withAddress(port: port) { connect(socket.descriptor, $0, $1) }
        guard connected == 0 else { throw Failure(call: "connect", errno: errno) }
        return socket
    }

    func accepted() throws -> LoopbackSocket {
        try LoopbackSocket(accept(descriptor, nil, nil))
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            if let start { getsockname(descriptor, start, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends the session's output; a peer that has gone is noticed when reading.
    func flush(_ session: TLSSession) {
        var output: [UInt8] = []
        session.takeOutput(appendingTo: &output)
        var rest = output[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Transfers bytes between the socket and the session until `isDone`, given the plaintext.
    func drive(
        _ session: TLSSession,
        _ plaintext: inout [UInt8],
        until isDone: ([UInt8]) -> Bool
    ) throws {
        defer { flush(session) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            flush(session)
            if isDone(plaintext) { return }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno != ECONNRESET { throw Failure(call: "read", errno: errno) }
            guard count > 0 else { return try session.receiveEnd() }
            try session.receive(buffer.span.extracting(first: count), appendingTo: &plaintext)
        }
    }

    private static func withAddress<Result>(
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

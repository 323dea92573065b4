import DivanPlatform
import Foundation
import Synchronization

/// A proxy that opens tunnels to local ports, or refuses to.
final class TestProxy: Sendable {
    /// The request heads that clients sent.
    let heads = Requests()
    private let server: RawServer

    final class Requests: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func add(_ head: String) { list.withLock { $0.append(head) } }
    }

    var port: UInt16 { server.port }

    /// Answers with `refusal` instead of opening a tunnel, if it is given.
    init(refusal: String? = nil) throws {
        let heads = heads
        server = try RawServer { client in
            let head = client.receiveHead()
            heads.add(head)
            if let refusal { return client.send(refusal) }
            let target = head.split(separator: " ").dropFirst().first
            guard let port = target?.split(separator: ":").last.flatMap({ UInt16($0) }),
                let far = RawSocket(port: port)
            else { return client.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n") }
            client.send("HTTP/1.1 200 Connection established\r\n\r\n")
            Thread.detachNewThread { Self.pump(from: far, to: client) }
            Self.pump(from: client, to: far)
        }
    }

    private static func pump(from source: RawSocket, to target: RawSocket) {
        while true {
            let bytes = source.receive()
            if bytes.isEmpty { break }
            target.send(bytes)
        }
        target.endSending()
    }
}

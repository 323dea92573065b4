import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// Text messages, for receivers that want them: delivered as text, refused elsewhere.
@Suite(.timeLimit(.minutes(5))) struct TextTests {
    static let accepting = WebSocketConnection.Configuration(acceptsText: true)

    @Test func `distinguishes text from binary messages`() async throws {
        let server = WebSocketServer(
            .init(networkInterface: "127.0.0.1", webSocket: Self.accepting),
            log: quiet
        ) { request in
            request.accept(subprotocol: nil) { transport in
                transport.start(TypedEcho(transport))
            }
        }
        let transport = client(
            port: try server.start(),
            subprotocols: [],
            webSocket: Self.accepting
        )
        let answers = Answers(transport)
        let events = await withCheckedContinuation { continuation in
            answers.whenClosed { continuation.resume(returning: $0) }
            transport.start(answers)
        }
        #expect(events == ["text: ž", "binary: ab"])
        server.stop()
    }

    @Test func `a receiver without a text method gets text as a message`() async throws {
        let server = try TestServer(echoes: false, webSocket: Self.accepting)
        let transport = client(port: server.port)
        let recorder = Recorder(onOpen: { transport.sendText(Array("hello".utf8).span) })
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        let accepted = try #require(server.connections.all.first)
        let events = await accepted.recorder.wait { $0.messageCount == 1 }
        #expect(events.messages == [Array("hello".utf8)])
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test func `refuses text with 1003 if it is not enabled`() async throws {
        let server = try TestServer()
        let transport = client(port: server.port)
        let recorder = Recorder(onOpen: { transport.sendText(Array("hello".utf8).span) })
        transport.start(recorder)
        #expect(await recorder.end().goodbye == "1003  true")
    }
}

/// Echoes each message with its type.
private final class TypedEcho: MessageReceiver {
    private let transport: WebSocketServerTransport

    init(_ transport: WebSocketServerTransport) { self.transport = transport }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { transport.send(message.span) }
    func transportDidReceiveText(_ message: ArraySlice<UInt8>) { transport.sendText(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

/// Sends one message of each type, records the answers, and closes after the second.
private final class Answers: MessageReceiver {
    private let transport: WebSocketClientTransport
    private let heard = Mutex<[String]>([])
    private let report = Mutex<@Sendable ([String]) -> Void>({ _ in })

    init(_ transport: WebSocketClientTransport) { self.transport = transport }

    func whenClosed(_ report: @escaping @Sendable ([String]) -> Void) {
        self.report.withLock { $0 = report }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        transport.sendText(Array("ž".utf8).span)
        transport.send(Array("ab".utf8))
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) { note("binary", message) }
    func transportDidReceiveText(_ message: ArraySlice<UInt8>) { note("text", message) }

    private func note(_ kind: String, _ message: ArraySlice<UInt8>) {
        let count = heard.withLock { heard in
            heard.append("\(kind): \(String(decoding: message, as: UTF8.self))")
            return heard.count
        }
        if count == 2 { transport.close(code: 1000, reason: "") }
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}

    func transportDidClose(_ close: TransportClose) {
        report.withLock { $0 }(heard.withLock { $0 })
    }
}

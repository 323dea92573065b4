import DivanTransport

/// The client's side: sends everything at once, prints the answers, and leaves after the last.
///
/// `@unchecked Sendable` holds because the transport calls its receiver on one loop only.
final class Conversation: MessageReceiver, @unchecked Sendable {
    private let transport: WebSocketClientTransport
    private let texts: [String]
    private let didClose: (TransportClose) -> Void
    private var answerCount = 0

    init(
        _ transport: WebSocketClientTransport,
        _ texts: [String],
        didClose: @escaping (TransportClose) -> Void
    ) {
        self.transport = transport
        self.texts = texts
        self.didClose = didClose
    }

    func transportDidOpen(_ peer: TransportPeer) {
        for text in texts { transport.sendText(Array(text.utf8).span) }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        print(String(decoding: message, as: UTF8.self))
        answerCount += 1
        if answerCount == texts.count { transport.close(code: 1000, reason: "") }
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) { didClose(close) }
}

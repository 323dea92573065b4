import DivanTransport

/// The server's side of one connection.
final class Echo: MessageReceiver {
    private let transport: WebSocketServerTransport

    init(_ transport: WebSocketServerTransport) { self.transport = transport }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { transport.send(message.span) }
    func transportDidReceiveText(_ message: ArraySlice<UInt8>) { transport.sendText(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

/// The server's half of the opening handshake: reads one request.
///
/// Feed and drain in turn: `receive(_:)`, `next()`; then answer with `HandshakeRequest.accept` or
/// `HandshakeRefusal`.
///
/// Source: RFC 6455 §4.2; `websocket-and-urls.md` §2.
public struct ServerHandshake: Sendable {
    private var reader: HTTPHeadReader

    /// Creates a reader for one request.
    public init(limits: WebSocketLimits = WebSocketLimits()) {
        reader = HTTPHeadReader(limits: limits.head)
    }

    /// Appends bytes from the transport.
    public mutating func receive(_ bytes: Span<UInt8>) {
        reader.receive(bytes)
    }

    /// Returns the request once its head is complete; call no more after that.
    ///
    /// A request that is no proper upgrade is returned too, with its `defect`: who may ask, and for
    /// which path, is decided first.
    ///
    /// - Throws: `HandshakeError` for anything that is not a clean HTTP/1.1 head; answer it with
    ///   the bytes of a ``HandshakeRefusal`` and end the connection.
    public mutating func next() throws(HandshakeError) -> HandshakeRequest? {
        do {
            guard let head = try reader.nextHead() else { return nil }
            return try HandshakeRequest(head)
        } catch {
            throw HandshakeError(reason: error)
        }
    }

    /// Bytes that came behind the request: the first frames.
    public mutating func takeLeftover() -> [UInt8] {
        reader.takeLeftover()
    }
}

/// The server's half of the opening handshake: reads one request.
///
/// Call `receive(_:)` and `next()` alternately; then answer with `HandshakeRequest.accept` or `HandshakeRefusal`.
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

    /// Returns the request once its head is complete; do not call it again after that.
    ///
    /// A request that is not a valid upgrade is returned too, with its `defect`: whether the client may ask, and for
    /// which path, is decided first.
    ///
    /// - Throws: `HandshakeError` for anything that is not a valid HTTP/1.1 head; answer it with the bytes of a
    ///   ``HandshakeRefusal`` and end the connection.
    public mutating func next() throws(HandshakeError) -> HandshakeRequest? {
        do {
            guard let head = try reader.nextHead() else { return nil }
            return try HandshakeRequest(head)
        } catch {
            throw HandshakeError(reason: error)
        }
    }

    /// Bytes that arrived after the request: the first frames.
    public mutating func takeLeftover() -> [UInt8] {
        reader.takeLeftover()
    }
}

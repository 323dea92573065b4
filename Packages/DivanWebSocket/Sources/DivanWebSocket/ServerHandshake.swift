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

    /// Returns the request when its headers are complete; do not call it again after that.
    ///
    /// A request that is not a valid upgrade is also returned, with its `defect`, so that the caller can first
    /// check the path and the client's permission.
    ///
    /// - Throws: `HandshakeError` for bytes that are not a valid HTTP/1.1 request; send the bytes of a
    ///   ``HandshakeRefusal`` and close the connection.
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

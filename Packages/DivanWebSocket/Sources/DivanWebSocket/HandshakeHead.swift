// Headers are part of this package's API: whoever has a handshake has headers.
@_exported public import DivanHTTP

extension WebSocketLimits {
    /// Interim answers before the final one; no server has reason to send so many.
    static let interimAnswersCount = 8

    /// The limits of a handshake's head.
    var head: HTTPHeadLimits {
        HTTPHeadLimits(
            headByteCount: headByteCount,
            lineByteCount: lineByteCount,
            headerCount: headerCount
        )
    }
}

extension HTTPHeadReader {
    /// Like `next()`, with the errors of a handshake.
    mutating func nextHead() throws(HandshakeError.Reason) -> HTTPHead? {
        do throws(HTTPHeadError) {
            return try next()
        } catch {
            throw .head(error)
        }
    }
}

extension HTTPHeaders {
    /// Throws if a field contains a line break, or is not a valid field.
    func checkSendable() throws(HandshakeError) {
        if let name = unsendableField { throw HandshakeError(reason: .unsendable(field: name)) }
    }
}

// Headers are a part of this package's own API: who has a handshake has them.
@_exported public import DivanHTTP

extension WebSocketLimits {
    /// Interim answers in front of the one that counts; no server has reason to send so many.
    static let interimAnswersCount = 8

    /// The bounds of a handshake's head.
    var head: HTTPHeadLimits {
        HTTPHeadLimits(
            headByteCount: headByteCount,
            lineByteCount: lineByteCount,
            headerCount: headerCount
        )
    }
}

extension HTTPHeadReader {
    /// As `next()`, with the errors of a handshake.
    mutating func nextHead() throws(HandshakeError.Reason) -> HTTPHead? {
        do throws(HTTPHeadError) {
            return try next()
        } catch {
            throw .head(error)
        }
    }
}

extension HTTPHeaders {
    /// Throws when a field would break out of its line, or is not a field at all.
    func checkSendable() throws(HandshakeError) {
        if let name = unsendableField { throw HandshakeError(reason: .unsendable(field: name)) }
    }
}

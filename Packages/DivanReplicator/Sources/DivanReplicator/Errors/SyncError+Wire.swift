import DivanBLIP

extension SyncError {
    /// Reads an error reply; anything unknown, or a number that its domain does not have, becomes "remote error".
    ///
    /// Source: `errors.md` §4.
    init(_ remote: BLIPRemoteError) {
        let domain: Domain? =
            switch remote.domain {
            case "HTTP", "WebSocket": .webSocket
            case "LiteCore": .liteCore
            case "POSIX": .posix
            case "SQLite": .sqlite
            case "Fleece": .fleece
            case "Network": .network
            case "mbedTLS": .mbedTLS
            default: nil
            }
        guard let domain, remote.code != 0, domain.receivedCodes.contains(remote.code) else {
            let place = "remote error \(remote.domain)/\(remote.code)"
            self.init(.liteCore(.remoteError), "\(place) \(remote.message)", isFromPeer: true)
            return
        }
        self.init(domain, remote.code, remote.message, isFromPeer: true)
    }
}

extension SyncError {
    /// Converts a violation of the message layer: for bytes that changed in transit another connection helps; a peer
    /// that violates rules will do so again.
    init(_ error: BLIPError) {
        self.init(.close(error.isDamage ? .retryLater : .cannotFulfil), "\(error)", hasRemedy: true)
    }
}

extension BLIPError {
    /// The close code for the connection: a wrong checksum, which only bytes that changed cause, makes the peer
    /// reconnect.
    var toldCode: CloseCode {
        if case .checksum = reason { .retryLater } else { CloseCode(closeCode) }
    }
}

extension BLIPRemoteError {
    /// The code as an HTTP status, because BLIP's own errors use HTTP's numbers.
    var status: HTTPStatus { HTTPStatus(rawValue: code) }
}

extension SyncError.Domain {
    /// The codes that a peer's error reply may contain, with room for those of later versions.
    fileprivate var receivedCodes: ClosedRange<Int> {
        switch self {
        case .liteCore, .network: 1...999
        case .webSocket: 100...4_999
        case .posix, .sqlite, .fleece: 1...Int(Int32.max)
        case .mbedTLS: Int(Int32.min)...Int(Int32.max)
        }
    }
}

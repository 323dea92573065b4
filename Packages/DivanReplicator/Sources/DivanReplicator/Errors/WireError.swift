import DivanBLIP

/// Translates errors between the core's terms and the two properties of a BLIP error reply.
///
/// Source: `errors.md` §3, §4.
struct WireError: Equatable {
    var domain: String
    var code: Int
    var message: String

    /// What we write into an error reply: HTTP wherever a matching code exists, because Sync
    /// Gateway understands nothing else (`errors.md` §5, last paragraph).
    init(_ error: SyncError) {
        message = error.message
        switch (error.domain, error.code) {
        case (.liteCore, 31), (.liteCore, 32): (domain, code) = ("HTTP", 422)
        case (.liteCore, 8): (domain, code) = ("HTTP", 409)
        case (.liteCore, 7): (domain, code) = ("HTTP", 404)
        case (.liteCore, 4), (.liteCore, 5), (.liteCore, 9), (.liteCore, 29):
            (domain, code) = ("HTTP", 400)
        // Nothing is wrong with what the peer sent: it must come again (`errors.md` §7).
        case _ where error.isLocalFailure: (domain, code) = ("HTTP", 503)
        case (.webSocket, _):
            (domain, code) = (error.domain.wireName(code: error.code), error.code)
        default: (domain, code) = ("HTTP", 500)
        }
    }
}

extension SyncError {
    /// Reads an error reply.
    init(_ remote: BLIPRemoteError) {
        self.init(wireDomain: remote.domain, code: remote.code, message: remote.message)
    }

    /// Reads the properties of an error reply; whatever is unknown, or a number that its domain
    /// does not have, becomes "remote error".
    init(wireDomain domain: String, code: Int, message: String) {
        let known: Domain? =
            switch domain {
            case "HTTP", "WebSocket": .webSocket
            case "LiteCore": .liteCore
            case "POSIX": .posix
            case "SQLite": .sqlite
            case "Fleece": .fleece
            case "Network": .network
            case "mbedTLS": .mbedTLS
            default: nil
            }
        guard let known, code != 0, known.receivedCodes.contains(code) else {
            self.init(.liteCore, 26, "remote error \(domain)/\(code) \(message)", isFromPeer: true)
            return
        }
        self.init(known, code, message, isFromPeer: true)
    }
}

extension SyncError.Domain {
    /// The codes that a peer's error reply may bring, with room for those of later versions.
    fileprivate var receivedCodes: ClosedRange<Int> {
        switch self {
        case .liteCore, .network: 1...999
        case .webSocket: 100...4_999
        case .posix, .sqlite, .fleece: 1...Int(Int32.max)
        case .mbedTLS: Int(Int32.min)...Int(Int32.max)
        }
    }

    /// The name in `Error-Domain`.
    func wireName(code: Int) -> String {
        switch self {
        case .liteCore: "LiteCore"
        case .posix: "POSIX"
        case .sqlite: "SQLite"
        case .fleece: "Fleece"
        case .network: "Network"
        case .webSocket: code < 1000 ? "HTTP" : "WebSocket"
        case .mbedTLS: "mbedTLS"
        }
    }
}

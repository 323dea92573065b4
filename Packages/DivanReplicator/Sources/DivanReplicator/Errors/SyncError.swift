/// What went wrong in a replication or with one document, in the terms of the protocol.
///
/// Source: `errors.md` §1, §2.
public struct SyncError: Error, Hashable, Sendable {
    /// The family that gives `code` its meaning; raw values are the core's own numbers.
    public enum Domain: UInt8, Hashable, Sendable, CaseIterable {
        /// The database's own errors, 1…32.
        case liteCore = 1
        /// `errno` values of the platform that reported them.
        case posix
        /// SQLite result codes.
        case sqlite
        /// Errors of the binary JSON library of Couchbase Lite; only received.
        case fleece
        /// Name look-up, connections and TLS, 1…27.
        case network
        /// HTTP status codes below 1000, WebSocket close codes from 1000.
        case webSocket
        /// TLS library codes; only received.
        case mbedTLS
    }

    /// The family of `code`.
    public let domain: Domain
    /// The number within the family.
    public let code: Int
    /// What happened, for people; may come from the peer.
    public let message: String
    /// Whether the peer reported it; `errno` values differ between platforms, so a peer's are
    /// never looked up.
    public let isFromPeer: Bool
    /// Whether `message` says what to do already, as the errors of the packages below do.
    public let hasRemedy: Bool

    /// Creates an error.
    public init(
        _ domain: Domain,
        _ code: Int,
        _ message: String = "",
        isFromPeer: Bool = false,
        hasRemedy: Bool = false
    ) {
        self.domain = domain
        self.code = code
        self.message = message
        self.isFromPeer = isFromPeer
        self.hasRemedy = hasRemedy
    }

    /// An HTTP status, the form in which peers understand each other best.
    public static func http(_ status: Int, _ message: String) -> SyncError {
        SyncError(.webSocket, status, message)
    }

    /// What a conflict is that a pull did not clear.
    static let rival = http(409, "the peer has another revision")

    /// A filter said no.
    static let rejected = http(403, "rejected by validation function")

    static let pushesOnly = http(403, "this replicator does not pull")

    static let inappropriateCollection = http(
        400,
        "inappropriate use of the collection property."
    )

    static let unknownCollection = http(400, "the collection property is out of range.")

    /// A body that no peer takes, with its size.
    static func tooLarge(_ byteCount: Int, _ limits: Limits) -> SyncError {
        let limit = limits.documentByteCount
        return .http(413, "a body of \(byteCount) bytes, peers take \(limit) at most")
    }
}

extension SyncError {
    /// Whether trying again later may help, in one-shot replications too.
    ///
    /// Source: `errors.md` §7.
    public var isTransient: Bool {
        switch domain {
        case .webSocket: [408, 429, 502, 503, 504, 1006, 4001].contains(code)
        case .network: [1, 3, 16, 17, 18, 19].contains(code)
        case .posix: !isFromPeer && PlatformError.transient.contains(code)
        default: false
        }
    }

    /// Whether a change of the network may help; only continuous replications wait for that.
    ///
    /// Source: `errors.md` §7.
    public var isNetworkDependent: Bool {
        switch domain {
        case .network: [1, 2, 3].contains(code) || (20...27).contains(code)
        case .posix: !isFromPeer && PlatformError.networkDependent.contains(code)
        default: false
        }
    }

    /// Whether the whole replication ends when a request other than `rev` fails this way.
    ///
    /// Source: `errors.md` §6.
    var stopsReplication: Bool {
        switch (domain, code) {
        case (.liteCore, 10), (.liteCore, 26): true
        case (.webSocket, 400), (.webSocket, 403): true
        case (.posix, PlatformError.diskFull): !isFromPeer
        default: false
        }
    }

    /// Whether the peer has another revision.
    var isConflict: Bool {
        switch (domain, code) {
        case (.webSocket, 409), (.liteCore, 8): true
        default: false
        }
    }

    /// Whether this side's disk or database failed, whatever was being stored.
    var isLocalFailure: Bool {
        guard !isFromPeer else { return false }
        return switch domain {
        case .posix, .sqlite: true
        case .liteCore: [6, 11, 12, 13, 14, 16].contains(code)
        default: false
        }
    }

    /// Whether a revision sent as a delta must go out again in full.
    ///
    /// Source: `delta.md` §8.
    var refusesDelta: Bool {
        switch (domain, code) {
        case (.webSocket, 422), (.liteCore, 31), (.liteCore, 32), (.fleece, _): true
        default: false
        }
    }
}

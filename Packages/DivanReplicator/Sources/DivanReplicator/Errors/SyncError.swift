/// An error of a replication or of one document, with the codes of the protocol.
///
/// Source: `errors.md` §1, §2.
public struct SyncError: Error, Hashable, Sendable {
    /// The family that gives `code` its meaning.
    public typealias Domain = WireCode.Domain
    /// Who is responsible for an error.
    public typealias Fault = ErrorFault
    /// Whether reconnecting helps after an error.
    public typealias Recovery = ErrorRecovery

    /// The error code.
    public let wireCode: WireCode
    /// A message for people; may come from the peer.
    public let message: String
    /// Whether the peer reported it; `errno` values differ between platforms, so a peer's are never looked up.
    public let isFromPeer: Bool
    /// Whether `message` already says what to do, like the errors of the packages below.
    public let hasRemedy: Bool
    /// What the peer is told: `message`, but without paths of this machine.
    let toldMessage: String

    /// Creates an error.
    public init(
        _ wireCode: WireCode,
        _ message: String = "",
        isFromPeer: Bool = false,
        hasRemedy: Bool = false
    ) {
        self.wireCode = wireCode
        self.message = message
        self.isFromPeer = isFromPeer
        self.hasRemedy = hasRemedy
        toldMessage = message
    }

    /// Creates an error from a lower layer, with a different text for the peer.
    init(_ wireCode: WireCode, _ message: String, telling toldMessage: String) {
        self.wireCode = wireCode
        self.message = message
        self.toldMessage = toldMessage
        isFromPeer = false
        hasRemedy = true
    }

    /// Creates an error from a family and a number.
    public init(
        _ domain: Domain,
        _ code: Int,
        _ message: String = "",
        isFromPeer: Bool = false,
        hasRemedy: Bool = false
    ) {
        self.init(
            WireCode(domain, code),
            message,
            isFromPeer: isFromPeer,
            hasRemedy: hasRemedy
        )
    }

    /// The family of `code`.
    public var domain: Domain { wireCode.domain }

    /// The number within the family.
    public var code: Int { wireCode.number }

    /// An HTTP status, which all peers support.
    public static func http(_ status: HTTPStatus, _ message: String) -> SyncError {
        SyncError(.http(status), message)
    }

    /// The peer's messages make no sense: the conversation ends.
    static func remote(_ message: String) -> SyncError {
        SyncError(.liteCore(.remoteError), message)
    }

    /// The error for a conflict that a pull did not clear.
    static let rival = http(.conflict, "the peer has another revision")

    /// A filter rejected it.
    static let rejected = http(.forbidden, "rejected by validation function")

    /// The peer accepts no changes from this user; its pull continues.
    static let mayNotWrite = SyncError(
        .http(.forbidden),
        "the user has read-only access, so local changes were not pushed; request write access, "
            + "or only pull",
        isFromPeer: true,
        hasRemedy: true
    )

    static let pushesOnly = http(.forbidden, "this replicator does not pull")

    static let inappropriateCollection = http(
        .badRequest,
        "inappropriate use of the collection property."
    )

    static let unknownCollection = http(.badRequest, "the collection property is out of range.")

    /// A body that no peer accepts, with its size.
    static func tooLarge(_ byteCount: Int, _ limits: ReplicatorLimits) -> SyncError {
        let limit = limits.documentByteCount
        return .http(.contentTooLarge, "body of \(byteCount) bytes exceeds the limit of \(limit)")
    }
}

// MARK: - Consequences

extension SyncError {
    private var rule: ErrorRule { .of(wireCode, isFromPeer: isFromPeer) }

    /// Who is responsible; what a peer reports about its own database is the peer's fault.
    public var fault: Fault {
        switch domain {
        case .liteCore, .posix, .sqlite: isFromPeer ? .peer : rule.fault
        default: rule.fault
        }
    }

    /// Whether reconnecting helps.
    public var recovery: Recovery { rule.recovery }

    /// Whether retrying later may help, even in one-shot replications.
    public var isTransient: Bool { recovery == .retry }

    /// The close code for the connection if a request other than `rev` fails with this; `nil` if the replication
    /// continues.
    var closeCode: CloseCode? { rule.closes }

    /// Whether this side's disk or database failed, whatever was being stored.
    var isLocalFailure: Bool { !isFromPeer && rule.told == .serviceUnavailable }

    /// Whether the peer's disk or database failed, whatever was being stored: Couchbase Lite reports that literally,
    /// while a Divan peer answers 503.
    var isPeerFailure: Bool { isFromPeer && rule.told == .serviceUnavailable }

    /// Whether it is a failure of this side that may be over for the next connection: not one that requires the
    /// application to act, nor a read-only database.
    var mayPass: Bool {
        isLocalFailure && fault != .caller && wireCode != .liteCore(.notWriteable)
    }

    /// Whether only descriptors or memory were lacking, which may be temporary.
    var isWantOfMeans: Bool {
        guard !isFromPeer, case .posix(let number) = wireCode else { return false }
        return POSIXCode.wantOfMeans.contains(number)
    }

    /// What the peer is told: HTTP wherever there is a matching code, because Sync Gateway understands nothing else
    /// (`errors.md` §5, last paragraph).
    var toldCode: WireCode {
        guard let told = rule.told else { return wireCode }
        return .http(isFromPeer && told == .serviceUnavailable ? .internalError : told)
    }

    /// Whether the peer has another revision.
    var isConflict: Bool {
        switch wireCode {
        case .http(.conflict), .liteCore(.conflict): true
        default: false
        }
    }

    /// Whether a revision sent as a delta must be sent again in full.
    ///
    /// Source: `delta.md` §8.
    var refusesDelta: Bool {
        switch wireCode {
        case .http(.unprocessable), .liteCore(.deltaBaseUnknown), .liteCore(.corruptDelta), .fleece:
            true
        default: false
        }
    }
}

extension SyncError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let place = "replication (\(wireCode.domainName)/\(code))"
        if hasRemedy { return "\(place): \(message)" }
        let problem = message.isEmpty ? rule.problem : message
        return place + (problem.map { ": \($0)" } ?? "") + "; \(remedy)"
    }

    /// Whether the peer refused to be read by a database that names revisions differently.
    private var isOfVersioning: Bool {
        code == HTTPStatus.notImplemented.rawValue && message.contains("document versioning")
    }

    var remedy: String {
        if isOfVersioning {
            return
                "one database uses revision trees and the other version vectors: upgrade the one "
                + "with revision trees (divan upgrade, Couchbase Lite 4)"
        }
        if let remedy = rule.remedy { return remedy }
        if isTransient { return "try again later" }
        return isFromPeer || fault == .peer
            ? "see the peer's log for details" : "see the log for details"
    }
}

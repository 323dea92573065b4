import CouchbaseLiteSwift
import Dispatch
import DivanAuth
import DivanCommandLine
import DivanJSON
import DivanPlatform
import Synchronization

/// Accepts clients with tokens of an issuer (`--jwt-issuer`), and decides what they may do.
///
/// May be used from any thread.
final class TokenAccess: Sendable {
    /// What a token grants.
    struct Grant: Equatable {
        let user: String
        let rights: UserRights
    }

    /// Accepts the tokens, and other credentials as another authenticator does.
    let authenticator: TokenListenerAuthenticator
    private let source: TokenKeySource
    private let roles: TokenRoles?
    private let onProblem: @Sendable (String) -> Void
    /// Reads the keys one at a time, so that a slow download does not block other work.
    private let reading = DispatchQueue(label: "divan.serve.token-keys", qos: .utility)
    /// What the next check of the keys depends on: the state of their file, or the time of the next download.
    private let next: Mutex<(stamp: FileStamp?, download: ContinuousClock.Instant)>
    /// The text of the keys in force.
    private let text: Mutex<[UInt8]>
    private let hasNewKeys = Atomic(false)

    private static let options = [
        "--jwt-audience", "--jwt-keys", "--jwt-user-claim", "--jwt-roles", "--jwt-role-claim",
        "--jwt-clock-skew",
    ]

    /// Reads the options and the files that they name; `nil` if there is no `--jwt-issuer`.
    init?(
        _ arguments: Arguments,
        otherwise other: (any DivanAuth.ListenerAuthenticator)?,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws {
        guard let issuer = arguments.value("--jwt-issuer") else {
            for option in Self.options where arguments.has(option) {
                throw Failure.usage("'\(option)' requires '--jwt-issuer'")
            }
            return nil
        }
        let audiences = arguments.values("--jwt-audience")
        guard let place = arguments.value("--jwt-keys"), !audiences.isEmpty else {
            throw Failure.usage("'--jwt-issuer' requires '--jwt-audience' and '--jwt-keys'")
        }
        let skew: Int = try arguments.number("--jwt-clock-skew", in: 0...600) ?? 60
        source = try TokenKeySource(place)
        let claim = arguments.value("--jwt-role-claim") ?? "roles"
        let roles = try arguments.value("--jwt-roles").map { try TokenRoles($0, claim: claim) }
        self.roles = roles
        self.onProblem = onProblem
        let stamp = source.file.map { FileStamp(of: $0) }
        next = Mutex((stamp, .now + TokenKeySource.interval))
        let text = try source.read()
        self.text = Mutex(text)
        authenticator = TokenListenerAuthenticator(
            TokenVerifier(
                issuer: issuer,
                audiences: audiences,
                clockSkew: Double(skew),
                userClaim: arguments.value("--jwt-user-claim") ?? "sub"
            ),
            keys: try source.keys(in: text),
            otherwise: other,
            accepting: { token in roles.map { $0.rights(of: token) != nil } ?? true },
            now: { Double(WallClock.now()) / 1e9 }
        )
    }

    /// What a token grants; `nil` if it is not valid, or no longer.
    func grant(of token: String) -> Grant? {
        guard let verified = try? authenticator.verify(token) else { return nil }
        guard let roles else { return Grant(user: verified.user, rights: UserRights()) }
        return roles.rights(of: verified).map { Grant(user: verified.user, rights: $0) }
    }

    /// Reads the roles again; false if there is no file of them.
    ///
    /// - Throws: `Failure`; the previous roles then remain in effect.
    func reloadRoles() throws -> Bool {
        try roles?.reload()
        return roles != nil
    }

    /// Begins to read the keys again; if that fails, the previous ones remain in effect.
    func refreshKeys() {
        reading.async { [weak self] in self?.read() }
    }

    private func read() {
        do {
            let new = try source.read()
            // The same keys would make every connection verify its token again.
            guard text.withLock({ $0 != new }) else { return }
            authenticator.replace(keys: try source.keys(in: new))
            text.withLock { $0 = new }
            hasNewKeys.store(true, ordering: .relaxed)
        } catch {
            let problem = Failure(explaining: error)
            onProblem("\(problem.line); the previous keys remain in effect")
        }
    }

    /// Begins to read the keys again when that is due; to be called regularly.
    ///
    /// - Returns: Whether tokens may have become invalid since the last call.
    func check() -> Bool {
        if isReadingDue() { refreshKeys() }
        let hasExpired = authenticator.dropExpired()
        return hasNewKeys.exchange(false, ordering: .relaxed) || hasExpired
    }

    private func isReadingDue() -> Bool {
        next.withLock { next in
            guard let file = source.file else {
                guard next.download <= .now else { return false }
                next.download = .now + TokenKeySource.interval
                return true
            }
            let now = FileStamp(of: file)
            defer { next.stamp = now }
            return next.stamp != now
        }
    }
}

/// When a file changed last: precise enough to notice every later change.
struct FileStamp: Equatable {
    private var seconds = 0
    private var nanoseconds = 0
    private var byteCount: Int64 = 0
    private var number: UInt64 = 0

    /// The stamp of a file; the same for all files that do not exist.
    init(of path: String) {
        guard let status = try? FileStatus(of: path) else { return }
        seconds = status.changedSeconds
        nanoseconds = status.changedNanoseconds
        byteCount = Int64(status.byteCount)
        number = status.inode
    }
}

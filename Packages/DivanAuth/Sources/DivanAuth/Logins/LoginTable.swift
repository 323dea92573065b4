import Synchronization

/// Who may log in at a server now, who waits, and who is refused, because of what came before from the
/// same address or under the same name.
///
/// Any thread may call it. It owns no clock: times are distances from an origin of the caller's.
///
/// ```swift
/// let table = LoginTable(limits: AuthLimits())
/// let (decision, seat) = table.enter("192.0.2.7", isLoopback: false, name: "ada", at: now)
/// // … later, when the password was wrong:
/// seat?.failed(at: now)
/// ```
public final class LoginTable: Sendable {
    fileprivate let ledger: Mutex<AddressLedger>
    private let sparesLoopback: Bool

    /// Creates a table that remembers nobody.
    public init(limits: AuthLimits) {
        ledger = Mutex(AddressLedger(limits: limits))
        sparesLoopback = limits.sparesLoopback
    }

    /// Decides about a client.
    ///
    /// - Parameters:
    ///   - host: Its address as text.
    ///   - isLoopback: Whether that is one of this machine.
    ///   - name: The user name that it gave, true or not.
    ///   - token: What it shows besides name and password (`ShownCredentials`).
    ///   - now: The time.
    /// - Returns: What becomes of it, and a seat unless it is refused.
    public func enter(
        _ host: String,
        isLoopback: Bool,
        name: String?,
        token: [UInt8]? = nil,
        at now: Duration
    ) -> (decision: LoginDecision, seat: LoginSeat?) {
        let visitor = LoginVisitor(
            host: host,
            name: name,
            token: token,
            isExempt: isLoopback && sparesLoopback
        )
        let decision = ledger.withLock { $0.enter(visitor, at: now) }
        return (decision, decision == .refused ? nil : LoginSeat(table: self, visitor: visitor))
    }

    /// What counts as the address of a client: of an IPv6 address the first 64 bits, which one owner has.
    public static func owner(of host: String) -> String { AddressLedger.key(host) }

    fileprivate func leave(_ visitor: LoginVisitor) {
        ledger.withLock { $0.leave(visitor) }
    }
}

/// One client's place among those of its address; it is free again with the last reference.
public final class LoginSeat: Sendable {
    private let table: LoginTable
    private let visitor: LoginVisitor

    /// Whether the client shows anything: who does not only asks what is needed.
    public var showsCredentials: Bool { visitor.name != nil || visitor.token != nil }

    fileprivate init(table: LoginTable, visitor: LoginVisitor) {
        self.table = table
        self.visitor = visitor
    }

    deinit {
        table.leave(visitor)
    }

    /// Decides when it may log in, as those before it have left things.
    public func admit(at now: Duration) -> LoginDecision {
        table.ledger.withLock { $0.admit(visitor, at: now) }
    }

    /// Notes that it came with wrong credentials.
    public func failed(at now: Duration) {
        table.ledger.withLock { $0.failed(visitor, at: now) }
    }

    /// Notes that it came with right credentials, which are those of `user`.
    public func succeeded(as user: String?) {
        table.ledger.withLock { $0.succeeded(visitor, as: user) }
    }
}

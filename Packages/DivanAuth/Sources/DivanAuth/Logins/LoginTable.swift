import Synchronization

/// Limits login attempts: decides which clients may log in now, must wait, or are refused, based on earlier
/// attempts from the same address or with the same name.
///
/// Can be called from any thread. It has no clock: times are durations since an origin chosen by the caller.
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

    /// Creates an empty table.
    public init(limits: AuthLimits) {
        ledger = Mutex(AddressLedger(limits: limits))
        sparesLoopback = limits.sparesLoopback
    }

    /// Decides about a client.
    ///
    /// - Parameters:
    ///   - host: Its address as text.
    ///   - isLoopback: Whether this is a loopback address.
    ///   - name: The claimed user name, which is not verified.
    ///   - token: A digest of its credentials other than name and password (`PresentedCredentials`).
    ///   - now: The time.
    /// - Returns: The decision, and a seat unless the client is refused.
    public func enter(
        _ host: String,
        isLoopback: Bool,
        name: String?,
        token: [UInt8]? = nil,
        at now: Duration
    ) -> (decision: LoginDecision, seat: LoginSlot?) {
        let visitor = LoginClient(
            host: host,
            name: name,
            token: token,
            isExempt: isLoopback && sparesLoopback
        )
        let decision = ledger.withLock { $0.enter(visitor, at: now) }
        return (decision, decision == .refused ? nil : LoginSlot(table: self, visitor: visitor))
    }

    /// The part of an address that identifies a client: for IPv6, the first 64 bits.
    public static func owner(of host: String) -> String { AddressLedger.key(host) }

    fileprivate func leave(_ visitor: LoginClient) {
        ledger.withLock { $0.leave(visitor) }
    }
}

/// A connection or request of a client, counted for its address; released with the last reference.
public final class LoginSlot: Sendable {
    private let table: LoginTable
    private let visitor: LoginClient

    /// Whether the client presents credentials; otherwise it only asks which are required.
    public var showsCredentials: Bool { visitor.name != nil || visitor.token != nil }

    fileprivate init(table: LoginTable, visitor: LoginClient) {
        self.table = table
        self.visitor = visitor
    }

    deinit {
        table.leave(visitor)
    }

    /// Decides when it may log in, based on earlier attempts.
    public func admit(at now: Duration) -> LoginDecision {
        table.ledger.withLock { $0.admit(visitor, at: now) }
    }

    /// Records that its login failed.
    public func failed(at now: Duration) {
        table.ledger.withLock { $0.failed(visitor, at: now) }
    }

    /// Records that its login as `user` succeeded.
    public func succeeded(as user: String?) {
        table.ledger.withLock { $0.succeeded(visitor, as: user) }
    }
}

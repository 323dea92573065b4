import Synchronization

/// Limits login attempts: decides which clients may log in now, must wait, or are refused, based on earlier
/// attempts from the same address or with the same name.
///
/// Can be called from any thread. It has no clock: times are durations since an origin chosen by the caller.
///
/// ```swift
/// let table = LoginTable(limits: AuthLimits())
/// let (decision, slot) = table.enter("192.0.2.7", isLoopback: false, name: "ada", at: now)
/// // … later, when the password was wrong:
/// slot?.failed(at: now)
/// ```
public final class LoginTable: Sendable {
    fileprivate let limiter: Mutex<AddressLimiter>
    private let sparesLoopback: Bool

    /// Creates an empty table.
    public init(limits: AuthLimits) {
        limiter = Mutex(AddressLimiter(limits: limits))
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
    /// - Returns: The decision, and a slot unless the client is refused.
    public func enter(
        _ host: String,
        isLoopback: Bool,
        name: String?,
        token: [UInt8]? = nil,
        at now: Duration
    ) -> (decision: LoginDecision, slot: LoginSlot?) {
        let client = LoginClient(
            host: host,
            name: name,
            token: token,
            isExempt: isLoopback && sparesLoopback
        )
        let decision = limiter.withLock { $0.enter(client, at: now) }
        return (decision, decision == .refused ? nil : LoginSlot(table: self, client: client))
    }

    /// The part of an address that identifies a client: for IPv6, the first 64 bits.
    public static func owner(of host: String) -> String { AddressLimiter.key(host) }

    fileprivate func leave(_ client: LoginClient) {
        limiter.withLock { $0.leave(client) }
    }
}

/// A connection or request of a client, counted for its address; released with the last reference.
public final class LoginSlot: Sendable {
    private let table: LoginTable
    private let client: LoginClient

    /// Whether the client presents credentials; otherwise it only asks which are required.
    public var showsCredentials: Bool { client.name != nil || client.token != nil }

    fileprivate init(table: LoginTable, client: LoginClient) {
        self.table = table
        self.client = client
    }

    deinit {
        table.leave(client)
    }

    /// Decides when it may log in, based on earlier attempts.
    public func admit(at now: Duration) -> LoginDecision {
        table.limiter.withLock { $0.admit(client, at: now) }
    }

    /// Records that its login failed.
    public func failed(at now: Duration) {
        table.limiter.withLock { $0.failed(client, at: now) }
    }

    /// Records that its login as `user` succeeded.
    public func succeeded(as user: String?) {
        table.limiter.withLock { $0.succeeded(client, as: user) }
    }
}

import DivanAuth
import DivanListener
public import Foundation

/// Limits on the resources that clients may use; every member is a maximum.
///
/// The defaults suit a listener on the open Internet; they are those of DivanListener. An addition to the official API,
/// with times in seconds like that API.
public struct ListenerLimits: Sendable {
    /// The same limits in the package below, which holds the values.
    private(set) var engineLimits = DivanListener.ListenerLimits()

    /// Open connections; each takes a few hundred kilobytes while it is busy.
    ///
    /// Beyond it a newcomer is served by closing the connection that has been idle for longest, of the user or address
    /// that has the most; if none has two, the newcomer is answered with 503. The default is 1,000.
    public var connectionCount: Int {
        get { engineLimits.connectionCount }
        set { engineLimits.connectionCount = newValue }
    }
    /// Open connections from one address, or one /64 with IPv6; further ones are answered with 429.
    ///
    /// The default is 250.
    public var addressConnectionCount: Int {
        get { engineLimits.logins.addressConnectionCount }
        set { engineLimits.logins.addressConnectionCount = newValue }
    }
    /// Connections that have not finished their handshake; beyond it the oldest is closed.
    ///
    /// The default is 1,024.
    public var handshakeCount: Int {
        get { engineLimits.handshakeCount }
        set { engineLimits.handshakeCount = newValue }
    }
    /// The same limit for one address, or one /64 with IPv6; the default is 256.
    public var addressHandshakeCount: Int {
        get { engineLimits.addressHandshakeCount }
        set { engineLimits.addressHandshakeCount = newValue }
    }
    /// Whether addresses of this machine are exempt from the limits per address, because with a proxy in front all
    /// clients come from there; true by default.
    ///
    /// If false, each of them, 127.0.0.1 to 127.255.255.254, counts as a separate client.
    public var sparesLoopback: Bool {
        get { engineLimits.logins.sparesLoopback }
        set { engineLimits.logins.sparesLoopback = newValue }
    }
    /// Seconds from accepting a socket to the decision about its request; the default is 10.
    public var handshakeTimeout: TimeInterval {
        get { engineLimits.handshakeTimeout.seconds }
        set { engineLimits.handshakeTimeout = .bounded(seconds: newValue) }
    }
    /// Bytes of a request's head; a larger one is answered with 431.
    ///
    /// The default is 16 KiB.
    public var requestHeadByteCount: Int {
        get { engineLimits.requestHeadByteCount }
        set { engineLimits.requestHeadByteCount = newValue }
    }
    /// Passwords being checked at the same time; further clients wait in a queue.
    ///
    /// The default is 16.
    public var checkingCount: Int {
        get { engineLimits.checkingCount }
        set { engineLimits.checkingCount = newValue }
    }
    /// Wrong credentials from one address before its further attempts are delayed: by 0.25 s, then twice as long each
    /// time.
    ///
    /// A name that has logged in from there is only delayed by its own failures; on this machine's addresses, with
    /// `sparesLoopback`, this holds for every name. The default is 10.
    public var freeLoginFailureCount: Int {
        get { engineLimits.logins.freeLoginFailureCount }
        set { engineLimits.logins.freeLoginFailureCount = newValue }
    }
    /// Seconds that a login attempt may be delayed; one that would wait longer is answered with 429.
    ///
    /// The default is 8.
    public var longestLoginDelay: TimeInterval {
        get { engineLimits.logins.longestLoginDelay.seconds }
        set { engineLimits.logins.longestLoginDelay = .bounded(seconds: newValue) }
    }
    /// Seconds for which wrong credentials are remembered after the last failure; the default is 600.
    public var loginMemory: TimeInterval {
        get { engineLimits.logins.loginMemory.seconds }
        set { engineLimits.logins.loginMemory = .bounded(seconds: newValue) }
    }
    /// Addresses remembered; the default is 10,000.
    public var rememberedAddressCount: Int {
        get { engineLimits.logins.rememberedAddressCount }
        set { engineLimits.logins.rememberedAddressCount = newValue }
    }
    /// Seconds within which a client must read some of the data waiting for it; the default is 30.
    public var stallTimeout: TimeInterval {
        get { engineLimits.stallTimeout.seconds }
        set { engineLimits.stallTimeout = .bounded(seconds: newValue) }
    }

    /// Creates the default limits.
    public init() {}
}

extension Duration {
    /// The duration as the application sees it.
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}

import DivanAuth
import DivanListener
public import Foundation

/// Limits on the resources that clients can use; every member is a maximum.
///
/// The defaults are suitable for a listener on the public Internet. Times are in seconds. An addition to the official
/// API.
public struct ListenerLimits: Sendable {
    /// The same limits in the package below, which holds the values.
    private(set) var engineLimits = DivanListener.ListenerLimits()

    /// Open connections; each takes a few hundred kilobytes while it is busy.
    ///
    /// For a further client, the connection that has been idle the longest, of the user or address with the most
    /// connections, is closed. If no user or address has two, the client gets 503. The default is 1,000.
    public var connectionCount: Int {
        get { engineLimits.connectionCount }
        set { engineLimits.connectionCount = newValue }
    }
    /// Open connections from one address, or one /64 network with IPv6; further ones get 429.
    ///
    /// The default is 250.
    public var addressConnectionCount: Int {
        get { engineLimits.logins.addressConnectionCount }
        set { engineLimits.logins.addressConnectionCount = newValue }
    }
    /// Connections with an unfinished handshake; beyond the limit, the oldest is closed.
    ///
    /// The default is 1,024.
    public var handshakeCount: Int {
        get { engineLimits.handshakeCount }
        set { engineLimits.handshakeCount = newValue }
    }
    /// The same limit for one address, or one /64 network with IPv6; the default is 256.
    public var addressHandshakeCount: Int {
        get { engineLimits.addressHandshakeCount }
        set { engineLimits.addressHandshakeCount = newValue }
    }
    /// Whether local addresses are exempt from the limits per address, because all clients have one if they connect
    /// through a proxy; true by default.
    ///
    /// If false, each of the addresses 127.0.0.1 to 127.255.255.254 counts as a separate client.
    public var sparesLoopback: Bool {
        get { engineLimits.logins.sparesLoopback }
        set { engineLimits.logins.sparesLoopback = newValue }
    }
    /// Seconds for the handshake, from accepting a socket; the default is 10.
    public var handshakeTimeout: TimeInterval {
        get { engineLimits.handshakeTimeout.seconds }
        set { engineLimits.handshakeTimeout = .bounded(seconds: newValue) }
    }
    /// Bytes of a request's head; a larger one gets 431.
    ///
    /// The default is 16 KiB.
    public var requestHeadByteCount: Int {
        get { engineLimits.requestHeadByteCount }
        set { engineLimits.requestHeadByteCount = newValue }
    }
    /// Passwords that are checked at the same time; further clients wait in a queue.
    ///
    /// The default is 16.
    public var checkingCount: Int {
        get { engineLimits.checkingCount }
        set { engineLimits.checkingCount = newValue }
    }
    /// Wrong credentials from one address before further attempts are delayed: by 0.25 s, then twice as long each time.
    ///
    /// A user who has logged in from the address before is only delayed by failures with that name. For local addresses
    /// with `sparesLoopback`, this applies to every user. The default is 10.
    public var freeLoginFailureCount: Int {
        get { engineLimits.logins.freeLoginFailureCount }
        set { engineLimits.logins.freeLoginFailureCount = newValue }
    }
    /// Maximum delay of a login attempt in seconds; an attempt that would wait longer gets 429.
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
    /// Seconds within which a client must read some of the sent data; the default is 30.
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

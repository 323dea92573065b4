import DivanAuth
import DivanListener
public import Foundation

/// What clients may make a listener hold or do; every member is a maximum.
///
/// The defaults suit a listener on the open Internet; they are those of DivanListener. An addition to
/// the official API, with times in seconds as it has them.
public struct ListenerLimits: Sendable {
    /// The same in the terms of the package below, which holds the values.
    private(set) var engineLimits = DivanListener.ListenerLimits()

    /// Open connections; each costs some hundred kilobytes while it is busy.
    ///
    /// More sockets are closed unseen. The default is 1,000.
    public var connectionCount: Int {
        get { engineLimits.connectionCount }
        set { engineLimits.connectionCount = newValue }
    }
    /// Open connections of one address, or one /64 with IPv6; more are answered 429.
    ///
    /// The default is 250.
    public var addressConnectionCount: Int {
        get { engineLimits.logins.addressConnectionCount }
        set { engineLimits.logins.addressConnectionCount = newValue }
    }
    /// Connections that have not finished their handshake; above it the oldest goes.
    ///
    /// The default is 1,024.
    public var handshakeCount: Int {
        get { engineLimits.handshakeCount }
        set { engineLimits.handshakeCount = newValue }
    }
    /// The same of one address, or one /64 with IPv6; the default is 256.
    public var addressHandshakeCount: Int {
        get { engineLimits.addressHandshakeCount }
        set { engineLimits.addressHandshakeCount = newValue }
    }
    /// Whether addresses of this machine are exempt from the limits per address, because a proxy in
    /// front brings everyone from there; they are by default.
    ///
    /// Without it each of them, 127.0.0.1 to 127.255.255.254, counts as a client of its own.
    public var sparesLoopback: Bool {
        get { engineLimits.logins.sparesLoopback }
        set { engineLimits.logins.sparesLoopback = newValue }
    }
    /// Seconds from accepting a socket to the decision about its request; the default is 10.
    public var handshakeTimeout: TimeInterval {
        get { engineLimits.handshakeTimeout.seconds }
        set { engineLimits.handshakeTimeout = .bounded(seconds: newValue) }
    }
    /// Bytes of a request's head; more is answered 431.
    ///
    /// The default is 16 KiB.
    public var requestHeadByteCount: Int {
        get { engineLimits.requestHeadByteCount }
        set { engineLimits.requestHeadByteCount = newValue }
    }
    /// Passwords being checked at the same time; further clients wait in line.
    ///
    /// The default is 16.
    public var checkingCount: Int {
        get { engineLimits.checkingCount }
        set { engineLimits.checkingCount = newValue }
    }
    /// Wrong credentials from one address before its next attempts have to wait: 0.25 s, then twice
    /// as long each time.
    ///
    /// A name that has logged in from there waits for its own failures only; on this machine's
    /// addresses, with `sparesLoopback`, every name does. The default is 10.
    public var freeLoginFailureCount: Int {
        get { engineLimits.logins.freeLoginFailureCount }
        set { engineLimits.logins.freeLoginFailureCount = newValue }
    }
    /// Seconds that an attempt to log in may have to wait; one that would have to wait longer is
    /// answered 429.
    ///
    /// The default is 8.
    public var longestLoginDelay: TimeInterval {
        get { engineLimits.logins.longestLoginDelay.seconds }
        set { engineLimits.logins.longestLoginDelay = .bounded(seconds: newValue) }
    }
    /// Seconds for which wrong credentials are remembered after the last of them; the default is 600.
    public var loginMemory: TimeInterval {
        get { engineLimits.logins.loginMemory.seconds }
        set { engineLimits.logins.loginMemory = .bounded(seconds: newValue) }
    }
    /// Addresses remembered; the default is 10,000.
    public var rememberedAddressCount: Int {
        get { engineLimits.logins.rememberedAddressCount }
        set { engineLimits.logins.rememberedAddressCount = newValue }
    }
    /// Seconds for a client to read anything of what waits for it; the default is 30.
    public var stallTimeout: TimeInterval {
        get { engineLimits.stallTimeout.seconds }
        set { engineLimits.stallTimeout = .bounded(seconds: newValue) }
    }

    /// Creates the default limits.
    public init() {}
}

extension Duration {
    /// As an application reads it.
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}

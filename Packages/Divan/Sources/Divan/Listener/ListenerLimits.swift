import DivanListener
public import Foundation

/// What clients may make a listener hold or do; every member is a maximum.
///
/// The defaults suit a listener on the open Internet. An addition to the official API.
public struct ListenerLimits: Sendable {
    /// Open connections; each costs some hundred kilobytes while it is busy.
    ///
    /// More sockets are closed unseen.
    public var connectionCount = 1_000
    /// Open connections of one address, or one /64 with IPv6; more are answered 429.
    public var addressConnectionCount = 250
    /// Connections that have not finished their handshake; above it the oldest goes.
    public var handshakeCount = 1_024
    /// The same of one address, or one /64 with IPv6.
    public var addressHandshakeCount = 256
    /// Whether addresses of this machine are exempt from the limits per address, because a proxy in
    /// front brings everyone from there.
    public var sparesLoopback = true
    /// Seconds from accepting a socket to the decision about its request.
    public var handshakeTimeout: TimeInterval = 10
    /// Bytes of a request's head; more is answered 431.
    public var requestHeadByteCount = 16 << 10
    /// Passwords being checked at the same time; further clients wait in line.
    public var checkingCount = 16
    /// Wrong credentials from one address before its next attempts have to wait: 0.25 s, then twice
    /// as long each time.
    ///
    /// A name that has logged in from there waits for its own failures only; on this machine's
    /// addresses, with `sparesLoopback`, every name does.
    public var freeLoginFailureCount = 10
    /// Seconds that an attempt to log in may have to wait; one that would have to wait longer is
    /// answered 429.
    public var longestLoginDelay: TimeInterval = 8
    /// Seconds for which wrong credentials are remembered after the last of them.
    public var loginMemory: TimeInterval = 600
    /// Addresses remembered.
    public var rememberedAddressCount = 10_000
    /// Seconds for a client to read anything of what waits for it.
    public var stallTimeout: TimeInterval = 30

    /// Creates the default limits.
    public init() {}

    /// The same in the terms of the package below.
    var engineLimits: DivanListener.ListenerLimits {
        var limits = DivanListener.ListenerLimits()
        limits.connectionCount = connectionCount
        limits.addressConnectionCount = addressConnectionCount
        limits.handshakeCount = handshakeCount
        limits.addressHandshakeCount = addressHandshakeCount
        limits.sparesLoopback = sparesLoopback
        limits.handshakeTimeout = .bounded(seconds: handshakeTimeout)
        limits.requestHeadByteCount = requestHeadByteCount
        limits.checkingCount = checkingCount
        limits.freeLoginFailureCount = freeLoginFailureCount
        limits.longestLoginDelay = .bounded(seconds: longestLoginDelay)
        limits.loginMemory = .bounded(seconds: loginMemory)
        limits.rememberedAddressCount = rememberedAddressCount
        limits.stallTimeout = .bounded(seconds: stallTimeout)
        return limits
    }
}

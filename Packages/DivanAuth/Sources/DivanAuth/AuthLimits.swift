/// All limits of this package; all are maxima.
///
/// The limits of headers are fixed; a server can choose the limits of logins.
public struct AuthLimits: Sendable {
    /// Bytes of an `Authorization` value: 8 KiB, which servers accept in one header line.
    public static let authorizationByteCount = 8_192
    /// Bytes of a `Set-Cookie` value: 4 KiB, which browsers store (RFC 6265 §6.1).
    public static let cookieByteCount = 4_096
    /// Cookies in one jar: 50, which browsers store for one domain (RFC 6265 §6.1).
    public static let cookieCount = 50

    /// Open connections and requests of one address; for IPv6, of one /64.
    ///
    /// A quarter of a listener's connections, so that one client cannot use all of them; further connections are
    /// answered with 429.
    public var addressConnectionCount = 250
    /// Whether loopback addresses are exempt from `addressConnectionCount`: behind a reverse proxy, all clients
    /// have such an address.
    public var sparesLoopback = true
    /// Failed logins before the next attempts are delayed: of one address, of one name that has logged in from that
    /// address before, or, with `sparesLoopback`, of one name on loopback.
    ///
    /// People mistype, and programs stop at the first 401.
    public var freeLoginFailureCount = 10
    /// The longest delay of a login attempt; an attempt that would have to wait longer is answered with 429.
    ///
    /// It is less than the handshake timeout. The delay is a quarter of a second and doubles with each failure; at
    /// the maximum, an address has one attempt in this time.
    public var longestLoginDelay = Duration.seconds(8)
    /// How long failed logins are remembered after the last failure.
    public var loginMemory = Duration.seconds(600)
    /// Addresses remembered; a few hundred bytes each.
    public var rememberedAddressCount = 10_000
    /// Names remembered for one address, so that failures of other names do not delay them; also the number of
    /// digests of other credentials.
    public var rememberedNameCount = 100
    /// Groups to which further names are assigned by a hash, if each name is delayed only by its own
    /// failures: a group is delayed together.
    ///
    /// Invented names can add failures to groups but cannot remove them. 4,096 groups take 200 KB with many names,
    /// and about 40,000 failures within `loginMemory` until all groups are delayed.
    public var nameGroupCount = 4_096
    /// Bytes of a name that is remembered; longer names are ignored.
    public var rememberedNameByteCount = 255

    /// Creates the default limits.
    public init() {}
}

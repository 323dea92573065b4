/// Every limit of this package, with its reason; all are maxima.
///
/// Those of headers are the same for everybody; a server may choose those of logins.
public struct AuthLimits: Sendable {
    /// Bytes of an `Authorization` value: 8 KiB, which servers accept in one header line.
    public static let authorizationByteCount = 8_192
    /// Bytes of a `Set-Cookie` value: 4 KiB, which browsers store (RFC 6265 §6.1).
    public static let cookieByteCount = 4_096
    /// Cookies in one jar: 50, which browsers store for one domain (RFC 6265 §6.1).
    public static let cookieCount = 50

    /// Open connections and requests of one address; for IPv6, of one /64.
    ///
    /// A quarter of a listener's connections, so that one client leaves room for the others; further ones
    /// are answered with 429.
    public var addressConnectionCount = 250
    /// Whether addresses of this machine are exempt from `addressConnectionCount`: through a reverse proxy
    /// all clients come from there.
    public var sparesLoopback = true
    /// Failed logins before the next attempts are delayed: of one address, of one name that
    /// has logged in from there before, or of one name on this machine with `sparesLoopback`.
    ///
    /// Ten: people mistype, and programs stop at the first 401.
    public var freeLoginFailureCount = 10
    /// Longest delay of a login attempt; one that would have to wait longer is answered with 429.
    ///
    /// Less than the time that a handshake may take. The delay is a quarter of a second and doubles with
    /// each failure; at this maximum, an address has one attempt in this time.
    public var longestLoginDelay = Duration.seconds(8)
    /// How long failed logins are remembered after the last of them.
    public var loginMemory = Duration.seconds(600)
    /// Addresses remembered; some hundred bytes each.
    public var rememberedAddressCount = 10_000
    /// Names remembered for one address, so that the failures of others do not delay them; and the same
    /// number of digests of other credentials.
    public var rememberedNameCount = 100
    /// Groups to which further names are assigned by a hash, if each name is delayed only by its own
    /// failures: a group is delayed together.
    ///
    /// Made-up names can fill groups with failures but cannot empty them. 4,096 groups take 200 KB, once
    /// there are many names, and some 40,000 failures within `loginMemory` until each of them is delayed.
    public var nameGroupCount = 4_096
    /// Bytes of a name that is remembered; longer ones count as no name.
    public var rememberedNameByteCount = 255

    /// Creates the default limits.
    public init() {}
}

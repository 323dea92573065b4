/// Every bound of this package, with its reason; all are maxima.
///
/// Those of headers are the same for everybody; those of logins a server may choose.
public struct AuthLimits: Sendable {
    /// Bytes of an `Authorization` value: 8 KiB, what servers accept in one header line.
    public static let authorizationByteCount = 8_192
    /// Bytes of a `Set-Cookie` value: 4 KiB, what browsers keep (RFC 6265 §6.1).
    public static let cookieByteCount = 4_096
    /// Cookies in one jar: 50, what browsers keep for one domain (RFC 6265 §6.1).
    public static let cookieCount = 50

    /// Open connections and requests of one address; of one /64 with IPv6.
    ///
    /// A quarter of a listener's connections, so that one client leaves room for the others; more are
    /// answered 429.
    public var addressConnectionCount = 250
    /// Whether addresses of this machine are exempt from `addressConnectionCount`: a proxy in front
    /// brings everyone from there.
    public var sparesLoopback = true
    /// Wrong credentials before the next attempts have to wait: of one address, of one name that
    /// has logged in from there before, or of one name on this machine with `sparesLoopback`.
    ///
    /// Ten: people mistype, and programs stop at the first 401.
    public var freeLoginFailureCount = 10
    /// Longest wait of an attempt to log in; one that would have to wait longer is answered 429.
    ///
    /// Below the time that a handshake may take. At the end of the growth, a quarter of a second
    /// doubled with each failure, an address has one attempt in this time.
    public var longestLoginDelay = Duration.seconds(8)
    /// How long wrong credentials are remembered after the last of them.
    public var loginMemory = Duration.seconds(600)
    /// Addresses remembered; some hundred bytes each.
    public var rememberedAddressCount = 10_000
    /// Names remembered of one address, so that the failures of others do not delay them; and as many
    /// digests of what others show in place of a name.
    public var rememberedNameCount = 100
    /// Groups that further names fall into by chance, where each name waits for its own failures: a group
    /// waits together.
    ///
    /// Whoever makes up names fills groups with failures and empties none. 4,096 take 200 KB, once names
    /// are many, and some 40,000 failures within `loginMemory` until each of them waits.
    public var nameGroupCount = 4_096
    /// Bytes of a name that is remembered; longer ones count as strangers.
    public var rememberedNameByteCount = 255

    /// Creates the default limits.
    public init() {}
}

/// Every bound of this package, with its reason; all are maxima.
public enum AuthLimits {
    /// Bytes of an `Authorization` value: 8 KiB, what servers accept in one header line.
    public static let authorizationByteCount = 8_192
    /// Bytes of a `Set-Cookie` value: 4 KiB, what browsers keep (RFC 6265 §6.1).
    public static let cookieByteCount = 4_096
    /// Cookies in one jar: 50, what browsers keep for one domain (RFC 6265 §6.1).
    public static let cookieCount = 50
}

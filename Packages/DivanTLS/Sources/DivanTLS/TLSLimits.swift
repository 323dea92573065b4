/// The limits of this package, with their reasons; all are maxima.
public enum TLSLimits {
    /// Bytes in one certificate: 64 KiB, sixteen times a large one.
    public static let certificateByteCount = 65_536
    /// Certificates read from one PEM or PKCS #12 file: 1,000, more than any root bundle.
    public static let certificateCount = 1_000
    /// Bytes in a PEM or PKCS #12 file: 8 MiB, well above the system's whole root bundle.
    public static let fileByteCount = 8 << 20
    /// Bytes in the certificate list of one handshake message: 100 KiB, OpenSSL's own default.
    public static let presentedByteCount = 102_400
    /// Certificates between a leaf and a trusted one: 8, as in the TLS library of Couchbase Lite.
    ///
    /// Each costs a signature check before the peer is authenticated.
    public static let chainDepth: Int32 = 8
    /// UTF-8 bytes in an identity's label: 1,024, more than any name that a program generates.
    public static let labelByteCount = 1_024
    /// Seconds during which a server's sessions can be resumed: two hours, OpenSSL's own default.
    public static let resumptionSeconds = 7_200
    /// Servers whose sessions a `TLSResumptionCache` keeps: 64, about 200 KB; few programs have more peers.
    public static let resumptionCount = 64
    /// Bytes of a server name: 253, the longest host name (RFC 1035 §2.3.4 as text).
    public static let serverNameByteCount = 253
}

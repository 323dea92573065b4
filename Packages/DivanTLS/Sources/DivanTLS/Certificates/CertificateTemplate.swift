public import FoundationEssentials

/// The contents of a new certificate.
///
/// Attributes have the names of the public API: `CN` (required), `pseudonym`, `GN`, `SN`, `O`, `OU`, `postalAddress`,
/// `L`, `postalCode`, `ST`, `C`, and the alternative names `rfc822Name`, `dNSName`, `uniformResourceIdentifier`,
/// `iPAddress`, `registeredID`.
///
/// Source: `tls-and-auth.md` §4, identity generation.
public struct CertificateTemplate: Sendable {
    /// The roles that the certificate is valid for; the bits of the Netscape certificate type.
    public struct Usages: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates usages from bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Authenticates a client.
        public static let clientAuth = Usages(rawValue: 0x80)
        /// Authenticates a server.
        public static let serverAuth = Usages(rawValue: 0x40)
    }

    /// Seconds between the start and the default end of a validity: 365 days.
    public static let defaultLifetime: TimeInterval = 31_536_000
    /// Seconds by which a validity starts early, for peers with slow clocks: one minute.
    public static let clockTolerance: TimeInterval = 60

    /// Subject and alternative names by the attribute names above.
    public var attributes: [String: String]
    /// Alternative names in addition to those in `attributes`.
    public var alternativeNames: [AlternativeName] = []
    /// The usages of the certificate.
    public var usages: Usages
    /// The time of creation; the serial number and the start of the validity are derived from it.
    public var now: Date
    /// The end of the validity, rounded down to a second.
    public var notAfter: Date
    /// Whether the certificate can sign other certificates; false for identities.
    public var isAuthority = false

    /// When the validity starts.
    public var notBefore: Date { now - Self.clockTolerance }

    /// Creates a template of a certificate that is created at `now`, and by default expires 365 days after
    /// `notBefore`.
    public init(
        attributes: [String: String],
        usages: Usages,
        now: Date,
        notAfter: Date? = nil
    ) {
        self.attributes = attributes
        self.usages = usages
        self.now = now
        self.notAfter = notAfter ?? now - Self.clockTolerance + Self.defaultLifetime
    }
}

internal import DivanTLS
public import Foundation

/// An X.509 certificate.
///
/// ```swift
/// let authority = try Certificate(contentsOf: URL(filePath: "/etc/shop/ca.pem"))
/// let sync = Sync(db, with: "wss://sync.example.com/shop", trust: .authority(authority))
/// ```
public struct Certificate: Sendable, Hashable {
    let wrapped: DivanTLS.TLSCertificate

    init(_ wrapped: DivanTLS.TLSCertificate) {
        self.wrapped = wrapped
    }

    /// Reads the first certificate of a PEM text.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if it contains none.
    public init(pem: String) throws {
        wrapped = try DivanError.converting { try DivanTLS.TLSCertificate(pem: pem) }
    }

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if the data is not a certificate.
    public init(der: Data) throws {
        wrapped = try DivanError.converting {
            let bytes = Array(der)
            return try DivanTLS.TLSCertificate(der: bytes.span)
        }
    }

    /// Reads the first certificate of a file in PEM or DER.
    ///
    /// - Throws: ``DivanError/Code/notFound`` without the file, ``DivanError/Code/invalidIdentity`` if it contains no
    ///   certificate.
    public init(contentsOf file: URL) throws {
        let data = try Self.read(file)
        if let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN") {
            try self.init(pem: text)
        } else {
            try self.init(der: data)
        }
    }

    /// Reads all certificates of a PEM text, such as a bundle of authorities.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if one is damaged.
    public static func all(inPEM text: String) throws -> [Certificate] {
        try DivanError.converting {
            try DivanTLS.TLSCertificate.certificates(pem: text).map { Certificate($0) }
        }
    }

    static func read(_ file: URL) throws -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            let isMissing = !FileManager.default.fileExists(atPath: file.path)
            throw DivanError(
                isMissing ? .notFound : .ioFailed,
                place: file.path,
                problem: isMissing ? "the file does not exist" : "the file cannot be read",
                remedy: isMissing ? "check the path" : "check its permissions",
                underlying: error
            )
        }
    }

    /// The certificate as PEM.
    public var pem: String { wrapped.pem }
    /// The certificate as DER.
    public var der: Data { Data(wrapped.derBytes) }
    /// The subject, such as `CN=jukebox, O=Divan`.
    public var subject: String { wrapped.subject }
    /// The issuer.
    public var issuer: String { wrapped.issuer }
    /// The subject's common name.
    public var commonName: String? { wrapped.commonName }
    /// When it becomes valid.
    public var validFrom: Date { wrapped.notBefore }
    /// When it expires.
    public var validUntil: Date { wrapped.notAfter }
    /// The SHA-256 digest of its DER bytes, in lower-case hexadecimal.
    public var fingerprint: String { wrapped.sha256Fingerprint }
    /// Whether it was signed with its own key.
    public var isSelfSigned: Bool { wrapped.isSelfSigned }
    /// Whether it can sign other certificates.
    public var isAuthority: Bool { wrapped.isAuthority }

    /// Compares the DER bytes.
    public static func == (first: Certificate, second: Certificate) -> Bool {
        first.wrapped == second.wrapped
    }

    /// Hashes the DER bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrapped) }
}

extension Certificate: CustomStringConvertible {
    /// The subject and the start of the fingerprint.
    public var description: String { wrapped.description }
}

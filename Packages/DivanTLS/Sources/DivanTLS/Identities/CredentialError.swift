public import DivanCrypto
import DivanPlatform
public import FoundationEssentials

/// A certificate, key or stored identity that cannot be read, created or stored.
///
/// In the public API all of these are `crypto`, code 22, except a file that cannot be accessed.
public struct CredentialError: Error, Equatable, Sendable {
    /// What went wrong, with the values, but never secrets.
    public enum Reason: Equatable, Sendable {
        /// The bytes are not a certificate; OpenSSL's error code, 0 if bytes follow the certificate.
        case notACertificate(code: UInt)
        /// The text or file contains no certificate.
        case noCertificate
        /// The text or file contains no private key.
        case noPrivateKey
        /// DivanCrypto rejects the private key.
        case unusableKey(CryptoError)
        /// The private key does not belong to the leaf certificate.
        case keyMismatch(subject: String)
        /// The bytes are not a PKCS #12 file; OpenSSL's error code.
        case notPKCS12(code: UInt)
        /// The password of the PKCS #12 file is wrong.
        case wrongPassword
        /// The PKCS #12 file is protected by a cipher that OpenSSL 3 has retired, such as RC2.
        case retiredCipher
        /// The required attribute `CN` is missing.
        case missingCommonName
        /// The attribute is unknown.
        case unknownAttribute(String)
        /// The value is invalid for the attribute.
        case invalidAttribute(name: String, value: String)
        /// The end of the validity is not after its start.
        case emptyValidity(notBefore: Date, notAfter: Date)
        /// The issuer's certificate does not permit it to sign others.
        case issuerIsNoAuthority(subject: String)
        /// A label is empty, too long, or contains control characters.
        case invalidLabel(String)
        /// An identity with this label already exists.
        case labelTaken(String)
        /// Other users can read or change the file or directory; its permission bits.
        case exposed(path: String, mode: UInt32)
        /// A file operation failed; the errno.
        case file(path: String, errno: Int32)
        /// More bytes than `TLSLimits` allows.
        case tooLarge(byteCount: Int, limit: Int)
        /// OpenSSL failed unexpectedly; its error code.
        case library(step: Step, code: UInt)
    }

    /// Steps that fail only if memory is low or OpenSSL has an unusual configuration.
    public enum Step: String, Sendable {
        /// Converting a key to or from OpenSSL's form.
        case readingKey = "reading the private key"
        /// Filling and signing a certificate.
        case signing = "creating the certificate"
        /// Writing a PKCS #12 file.
        case exporting = "writing PKCS #12"
    }

    /// What went wrong.
    public let reason: Reason

    /// Creates an error from a reason.
    public init(_ reason: Reason) {
        self.reason = reason
    }
}

extension CredentialError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String { "TLS identity: \(reason.problem); \(reason.remedy)" }
}

extension CredentialError.Reason {
    fileprivate var problem: String {
        switch self {
        case .notACertificate(code: 0): "extra bytes after the certificate"
        case .notACertificate(let code): "not a certificate (\(OpenSSLFailure.text(code)))"
        case .noCertificate: "no certificate found"
        case .noPrivateKey: "no private key found"
        case .unusableKey(let error): error.problemAndRemedy[0]
        case .keyMismatch(let subject): "the private key does not belong to \(subject)"
        case .notPKCS12(let code): "not a PKCS #12 file (\(OpenSSLFailure.text(code)))"
        case .wrongPassword: "wrong password for the PKCS #12 file"
        case .retiredCipher: "the PKCS #12 file uses a retired cipher"
        case .missingCommonName: "the common name is missing"
        case .unknownAttribute(let name): "unknown attribute \(name)"
        case .invalidAttribute(let name, let value):
            "invalid value \(value.debugDescription) for \(name)"
        case .emptyValidity(let notBefore, let notAfter):
            "the validity period from \(notBefore) to \(notAfter) is empty"
        case .issuerIsNoAuthority(let subject): "\(subject) cannot sign certificates"
        case .invalidLabel(let label): "invalid label \(label.debugDescription)"
        case .labelTaken(let label): "label \(label.debugDescription) already exists"
        case .exposed(let path, let mode):
            "\(path) has mode \(String(mode, radix: 8)) or another owner"
        case .file(let path, let errno): "\(path): \(Errno(errno))"
        case .tooLarge(let byteCount, let limit):
            "\(byteCount) bytes exceed the limit of \(limit)"
        case .library(let step, let code):
            "\(step.rawValue) failed (\(OpenSSLFailure.text(code)))"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .notACertificate(code: 0): "pass exactly one certificate as DER"
        case .notACertificate:
            "pass X.509 as DER, or as PEM between BEGIN and END CERTIFICATE"
        case .noCertificate: "add the BEGIN CERTIFICATE block"
        case .noPrivateKey: "add the BEGIN PRIVATE KEY block"
        case .unusableKey(let error): error.problemAndRemedy[1]
        case .keyMismatch: "pass the chain leaf first, with the leaf's key"
        case .notPKCS12: "pass a .p12 or .pfx file"
        case .wrongPassword: "pass the export password"
        case .retiredCipher:
            "export it again with AES (openssl pkcs12 -legacy reads the old file)"
        case .missingCommonName: "set the attribute CN"
        case .unknownAttribute: "use one of the attributes listed in the README"
        case .invalidAttribute: "see RFC 5280 appendix A"
        case .emptyValidity: "choose a later expiration"
        case .issuerIsNoAuthority: "use an issuer whose certificate is a CA"
        case .invalidLabel: "use 1 to \(TLSLimits.labelByteCount) bytes without control characters"
        case .labelTaken: "delete it first, or choose another label"
        case .exposed: "run chmod go-rwx on it, and check whether the key has leaked"
        case .file: "check the path and its permissions"
        case .tooLarge: "check that it is the right file"
        case .library: "check the OpenSSL installation"
        }
    }
}

extension CryptoError {
    /// The two parts of its description.
    fileprivate var problemAndRemedy: [String] {
        let parts = "\(self)".split(separator: "; ", maxSplits: 1).map(String.init)
        return parts.count == 2 ? parts : parts + ["export the key again, as PKCS #8"]
    }
}

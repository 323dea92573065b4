import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanPlatform
import DivanTLS
import Foundation

/// Certificates and keys in files given by the user.
enum IdentityFile {
    /// Reads a certificate with its key: PEM, or PKCS#12; it may be encrypted with the password in the
    /// environment variable `DIVAN_IDENTITY_PASSWORD`.
    static func read(_ path: String, _ terminal: Terminal) throws -> TLSCredential {
        let bytes = try contents(path)
        let password = try Environment.value("DIVAN_IDENTITY_PASSWORD")
        let credential: TLSCredential
        do throws(CredentialError) {
            credential = try opened(bytes, password)
        } catch {
            guard isAboutPassword(error, bytes) else {
                throw Failure(kind: .invalid, text: "\(path): \(error)")
            }
            throw Failure(
                kind: .invalid,
                sentence: password == nil ? "\(path) is encrypted" : "\(path): wrong password",
                hint: "\(password == nil ? "set" : "correct") DIVAN_IDENTITY_PASSWORD"
            )
        }
        // Only now: a file without a key is not secret.
        if let status = try? FileStatus(of: path), status.permissions & 0o077 != 0 {
            terminal.warn(
                "other users can read \(path), which contains a private key; run 'chmod 600 "
                    + "\(path.wordForShell)'"
            )
        }
        return credential
    }

    private static func opened(
        _ bytes: [UInt8],
        _ password: String?
    ) throws(CredentialError) -> TLSCredential {
        guard bytes.starts(with: Array("-----BEGIN".utf8)) else {
            return try TLSCredential(pkcs12: bytes.span, password: password)
        }
        return try TLSCredential(pem: String(decoding: bytes, as: UTF8.self), password: password)
    }

    private static func isAboutPassword(_ error: CredentialError, _ bytes: [UInt8]) -> Bool {
        switch error.reason {
        case .wrongPassword: true
        // The label of PKCS #8, or the header of RFC 1421.
        case .unusableKey(.unreadableKey):
            String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
        default: false
        }
    }

    /// Reads a certificate to pin, PEM or DER.
    static func readCertificate(_ path: String) throws -> SecCertificate {
        let bytes = try contents(path)
        do {
            if bytes.starts(with: Array("-----BEGIN".utf8)) {
                return try SecCertificate(pem: String(decoding: bytes, as: UTF8.self))
            }
            return try SecCertificate(der: Data(bytes))
        } catch {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): not a certificate in PEM or DER format",
                hint: "use a file that 'divan identity export' or 'divan serve "
                    + "--write-certificate' wrote"
            )
        }
    }

    /// Reads all certificates of a file, PEM or DER.
    static func readCertificates(_ path: String) throws -> [SecCertificate] {
        let bytes = try contents(path)
        guard bytes.starts(with: Array("-----BEGIN".utf8)) else {
            return [try readCertificate(path)]
        }
        let end = "-----END CERTIFICATE-----"
        let blocks = String(decoding: bytes, as: UTF8.self).components(separatedBy: end).dropLast()
        guard !blocks.isEmpty else { return [try readCertificate(path)] }
        do {
            return try blocks.map { try SecCertificate(pem: $0 + end + "\n") }
        } catch {
            let cause = (error as NSError).localizedDescription
            throw Failure(kind: .invalid, text: "\(path): \(cause)")
        }
    }

    /// The bytes of a small file: certificates, a configuration.
    static func contents(_ path: String) throws(Failure) -> [UInt8] {
        try InputFile(path).rest(limit: byteLimit)
    }

    private static let byteLimit = 1 << 20
}

import Divan
import DivanCommandLine
import DivanTLS
import Foundation
import Glibc

/// Certificates and keys in files given by the user.
enum IdentityFile {
    /// Reads a certificate with its key: PEM, or PKCS#12; it may be encrypted with the password in the
    /// environment variable `DIVAN_IDENTITY_PASSWORD`.
    static func read(_ path: String, _ terminal: Terminal) throws -> TLSCredential {
        let bytes = try contents(path)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            terminal.warn("others may read \(path), which holds a private key; chmod 600 it")
        }
        let password = try Environment.value("DIVAN_IDENTITY_PASSWORD")
        do {
            if bytes.starts(with: Array("-----BEGIN".utf8)) {
                return try TLSCredential(
                    pem: String(decoding: bytes, as: UTF8.self),
                    password: password
                )
            }
            return try TLSCredential(pkcs12: bytes.span, password: password)
        } catch {
            throw Failure(kind: .invalid, sentence: "\(path): \(error)")
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
                sentence: "\(path): no certificate in PEM or DER form; take what divan identity "
                    + "export or divan serve --write-certificate wrote"
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
            throw Failure(kind: .invalid, sentence: "\(path): \(cause)")
        }
    }

    /// The bytes of a small file: certificates, a configuration.
    static func contents(_ path: String) throws(Failure) -> [UInt8] {
        try InputFile(path).rest(limit: byteLimit)
    }

    private static let byteLimit = 1 << 20
}

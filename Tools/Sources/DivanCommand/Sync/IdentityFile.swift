import Divan
import Foundation

/// Certificates and keys in files that a person names.
enum IdentityFile {
    /// Reads a certificate with its key: PEM, or PKCS#12 without a password or with the one in
    /// the environment variable `DIVAN_IDENTITY_PASSWORD`.
    static func read(_ path: String) throws -> TLSIdentity {
        let bytes = try contents(path)
        let password = ProcessInfo.processInfo.environment["DIVAN_IDENTITY_PASSWORD"]
        do {
            if bytes.starts(with: Array("-----BEGIN".utf8)) {
                return try TLSIdentity(
                    pem: String(decoding: bytes, as: UTF8.self),
                    password: password
                )
            }
            return try TLSIdentity(pkcs12: Data(bytes), password: password)
        } catch {
            let cause = (error as NSError).localizedDescription
            throw Failure(kind: .invalid, sentence: "\(path): \(cause)")
        }
    }

    /// Reads a certificate to pin, PEM or DER.
    static func readCertificate(_ path: String) throws -> SecCertificate {
        let bytes = try contents(path)
        do {
            if bytes.starts(with: Array("-----BEGIN".utf8)) {
                return try TLSCertificate(pem: String(decoding: bytes, as: UTF8.self))
            }
            return try TLSCertificate(der: bytes)
        } catch {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): no certificate in PEM or DER form; --pin takes what "
                    + "divan serve --write-certificate wrote"
            )
        }
    }

    private static func contents(_ path: String) throws(Failure) -> Data {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure(kind: .notFound, sentence: "\(path): cannot be read; check the path")
        }
        return bytes
    }
}

import DivanTLS
public import Foundation

extension TLSIdentity {
    /// Reads a private key and its certificate chain, leaf first, from PEM text; nothing is stored.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `crypto` (22) for a wrong password, or if key and certificate do not match.
    public convenience init(pem: String, password: String? = nil) throws {
        self.init(
            try translatingErrors { try TLSCredential(pem: pem, password: password) }
        )
    }

    /// Reads a private key and its certificate chain from PKCS #12; nothing is stored.
    ///
    /// An addition to the official API; `importIdentity` reads the same and stores it.
    ///
    /// - Throws: `crypto` (22) for a wrong password or a damaged file.
    public convenience init(pkcs12: Data, password: String?) throws {
        let bytes = Array(pkcs12)
        self.init(
            try translatingErrors { try TLSCredential(pkcs12: bytes.span, password: password) }
        )
    }
}

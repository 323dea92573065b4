import CDivanTLS
public import FoundationEssentials

/// Why a peer's certificate was refused.
public enum CertificateProblem: Equatable, Sendable {
    /// The path ends at a self-signed or unknown authority.
    case unknownRoot(issuer: String)
    /// No presented certificate is the pinned one, or no signatures lead from the leaf to the pinned one.
    case notPinned
    /// Only a single self-signed certificate is accepted.
    case notSelfSigned(certificateCount: Int)
    /// An authority has revoked a certificate of the path.
    case revoked
    /// A certificate of the path has expired.
    case expired(notAfter: Date)
    /// A certificate of the path is not valid yet.
    case notYetValid(notBefore: Date)
    /// The leaf was issued for other hosts.
    case wrongName(expected: String, claimed: [String])
    /// The application's call-back refused it.
    case refusedByCallback
    /// Anything else: a bad signature, a wrong purpose, a weak key; OpenSSL's `X509_V_ERR` number.
    case invalid(code: Int32)

    /// The code in the Network domain (`tls-and-auth.md` §2, `websocket-and-urls.md` §5).
    ///
    /// LiteCore has no code for "not yet valid" and reports 6; we report it as untrusted.
    public var networkCode: Int {
        switch self {
        case .unknownRoot, .notPinned: 11
        case .revoked: 14
        case .expired: 7
        case .wrongName: 15
        case .notSelfSigned, .notYetValid, .refusedByCallback, .invalid: 8
        }
    }

    /// The position in LiteCore's order of precedence when several problems occur.
    var rank: Int {
        switch self {
        case .unknownRoot, .notPinned, .notSelfSigned, .refusedByCallback: 0
        case .revoked: 1
        case .expired: 2
        case .wrongName: 3
        case .notYetValid: 4
        case .invalid: 5
        }
    }

    /// The number from which OpenSSL derives the alert for the peer; all alerts are within 42 to 49.
    var verifyCode: Int32 {
        switch self {
        case .unknownRoot: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        case .revoked: X509_V_ERR_CERT_REVOKED
        case .expired: X509_V_ERR_CERT_HAS_EXPIRED
        case .notPinned, .notSelfSigned, .notYetValid, .wrongName, .refusedByCallback, .invalid:
            X509_V_ERR_CERT_REJECTED
        }
    }

    var explanation: (problem: String, remedy: String) {
        switch self {
        case .unknownRoot(let issuer):
            (
                "its certificate is signed by \(issuer), which is not trusted",
                "pin the certificate, trust its root, or install ca-certificates"
            )
        case .notPinned:
            (
                "its certificate is not the pinned one, and no chain that it presented leads to that",
                "check the server, then pin its new certificate; a pinned authority must be in the chain"
            )
        case .notSelfSigned(let count):
            (
                "it presented \(count) certificates, not a single self-signed one",
                "check the server, or do without accepting only self-signed certificates"
            )
        case .revoked: ("its certificate is revoked", "install a new one at the peer")
        case .expired(let date):
            ("its certificate expired at \(date)", "renew it, or check this machine's clock")
        case .notYetValid(let date):
            ("its certificate is valid from \(date)", "check the clocks of both machines")
        case .wrongName(let expected, let claimed):
            (
                "its certificate is for \(claimed.joined(separator: ", ")), not for \(expected)",
                "connect by one of these names, or pin the certificate"
            )
        case .refusedByCallback:
            ("the application refused its certificate", "see the application's call-back")
        case .invalid(let code): Self.explanation(of: code)
        }
    }

    /// The explanation of one of OpenSSL's numbers, with its own text, which may name the wrong certificate.
    private static func explanation(of code: Int32) -> (problem: String, remedy: String) {
        let text =
            X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "code \(code)"
        let (problem, remedy) =
            switch code {
            case X509_V_ERR_CA_MD_TOO_WEAK:
                (
                    "a certificate of its chain is signed with a digest that is too weak, such as SHA-1",
                    "have it issued again with SHA-256"
                )
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
                (
                    "a certificate of its chain has a key that is too short",
                    "have it issued again with P-256, or RSA of 2,048 bits or more"
                )
            case X509_V_ERR_CERT_SIGNATURE_FAILURE:
                (
                    "the signature of a certificate of its chain is wrong",
                    "install the chain that its authority issued"
                )
            case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
                X509_V_ERR_PATH_LENGTH_EXCEEDED:
                (
                    "it is signed by a certificate that may not sign it",
                    "have it issued by an authority"
                )
            default: ("its certificate is invalid", "install a sound one at the peer")
            }
        return ("\(problem) (\(text))", remedy)
    }
}

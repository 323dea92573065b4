import CDivanTLS
public import FoundationEssentials

/// The reason why a peer's certificate was rejected.
public enum CertificateProblem: Equatable, Sendable {
    /// The chain ends at a self-signed certificate or an unknown authority.
    case unknownRoot(issuer: String)
    /// No presented certificate is the pinned certificate, or no chain of signatures connects the leaf with it.
    case notPinned
    /// The peer did not present a single self-signed certificate.
    case notSelfSigned(certificateCount: Int)
    /// An authority has revoked a certificate in the chain.
    case revoked
    /// A certificate in the chain has expired.
    case expired(notAfter: Date)
    /// A certificate in the chain is not valid yet.
    case notYetValid(notBefore: Date)
    /// The leaf was issued for other hosts.
    case wrongName(expected: String, claimed: [String])
    /// The application's callback rejected it.
    case refusedByCallback
    /// Anything else: a bad signature, a wrong purpose, a weak key; OpenSSL's `X509_V_ERR` number.
    case invalid(code: Int32)

    /// The code in the Network domain (`tls-and-auth.md` §2, `websocket-and-urls.md` §5).
    ///
    /// LiteCore has no code for "not yet valid" and reports 6; Divan reports it as untrusted.
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
                "certificate signed by an unknown authority (\(issuer))",
                "pin the certificate, trust its root, or install ca-certificates"
            )
        case .notPinned:
            (
                "certificate does not match the pinned certificate",
                "check the server, then pin its new certificate; a pinned authority must be in the "
                    + "server's certificate chain"
            )
        case .notSelfSigned(let count):
            (
                "expected a single self-signed certificate, received \(count) certificates",
                "check the server, or do not restrict it to self-signed certificates"
            )
        case .revoked: ("certificate revoked", "install a new certificate on the peer")
        case .expired(let date):
            ("certificate expired on \(date)", "renew it, or check the local clock")
        case .notYetValid(let date):
            ("certificate not valid before \(date)", "check the clocks of both machines")
        case .wrongName(let expected, let claimed):
            (
                "certificate is for \(claimed.joined(separator: ", ")), not for \(expected)",
                "connect to one of these names, or pin the certificate"
            )
        case .refusedByCallback:
            ("the application rejected the certificate", "check the application's callback")
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
                    "a certificate in the chain is signed with a weak digest, such as SHA-1",
                    "reissue it with SHA-256"
                )
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
                (
                    "a certificate in the chain has a key that is too short",
                    "reissue it with P-256, or RSA of at least 2,048 bits"
                )
            case X509_V_ERR_CERT_SIGNATURE_FAILURE:
                (
                    "a certificate in the chain has an invalid signature",
                    "install the chain that the authority issued"
                )
            case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
                X509_V_ERR_PATH_LENGTH_EXCEEDED:
                (
                    "certificate signed by a certificate that is not a valid authority",
                    "have it issued by a certificate authority"
                )
            default: ("invalid certificate", "install a valid certificate on the peer")
            }
        return ("\(problem) (\(text))", remedy)
    }
}

import DivanCrypto
import DivanTLS
import Foundation
import Testing

/// Each error has the code that applications know, and one line of place, problem and remedy.
@Suite struct ErrorTests {
    typealias Row = (reason: TLSError.Reason, code: Int?, text: String)

    static let date = Date(timeIntervalSince1970: 1_800_000_000)
    static let certificates: [Row] = [
        (.certificate(.unknownRoot(issuer: "CN=Root")), 11, "signed by CN=Root, which is not"),
        (
            .certificate(.notPinned), 11,
            "is not the pinned one, and no chain that it presented leads to that; "
        ),
        (.certificate(.notSelfSigned(certificateCount: 2)), 8, "it presented 2 certificates, not"),
        (.certificate(.revoked), 14, "revoked; install a new one"),
        (.certificate(.expired(notAfter: date)), 7, "expired at 2027-01-15 08:00:00"),
        (.certificate(.notYetValid(notBefore: date)), 8, "valid from 2027-01-15 08:00:00"),
        (
            .certificate(.wrongName(expected: "a", claimed: ["b", "c"])), 15,
            "is for b, c, not for a; connect by one of these names, or pin"
        ),
        (.certificate(.refusedByCallback), 8, "the application refused its certificate; "),
        (.certificate(.invalid(code: 26)), 8, "is invalid ("),
        (.certificate(.invalid(code: 68)), 8, "a digest that is too weak, such as SHA-1 ("),
        (.certificate(.invalid(code: 66)), 8, "a key that is too short ("),
        (
            .certificate(.invalid(code: 7)), 8,
            "the signature of a certificate of its chain is wrong ("
        ),
        (.certificate(.invalid(code: 79)), 8, "signed by a certificate that may not sign it ("),
    ]
    static let others: [Row] = [
        (.clientCertificateMissing, 6, "it presented no certificate; give the client an identity"),
        (
            .clientCertificateRequired(alert: 116), 9,
            "it requires a client certificate (alert 116, "
        ),
        (.certificateRefused(alert: 48), 10, "it refused our certificate (alert 48, unknown CA); "),
        (.alert(40), 6, "it gave up (alert 40, handshake failure); see the peer's log"),
        (.alert(20), nil, "it gave up (alert 20, "),
        (.plaintextHTTP, 6, "it speaks HTTP without TLS; use wss on both sides, or ws on both"),
        (.notTLS(firstBytes: [0x53, 0x53]), 6, "its first bytes are 5353; check the port"),
        (.unsupportedVersion, 6, "it offers neither TLS 1.2 nor TLS 1.3; update"),
        (.handshake(code: 0), 6, "handshake failed (OpenSSL error 0); "),
        (.record(code: 0), nil, "broken record (OpenSSL error 0); "),
        (.closedDuringHandshake, nil, "the connection ended during the handshake; retry"),
        (.truncated, nil, "the connection ended without close_notify; retry"),
        (.notOpen, 6, "the session is not open for sending; "),
        (.serverNameMissing, 6, "no server name to compare the certificate with; "),
        (.serverNameInvalid("a b"), 6, #""a b" is no host name; "#),
        (.credential(code: 0), 6, "own certificate or key refused ("),
        (.setup(code: 0), 6, "OpenSSL setup failed ("),
    ]

    @Test func `every reason has its code and says what to do`() {
        for (reason, code, text) in Self.certificates + Self.others {
            let error = TLSError(reason, role: .client, serverName: "h.example")
            #expect(error.networkCode == code, "\(reason)")
            #expect(error.description.hasPrefix("TLS to h.example: "), "\(error)")
            #expect(error.description.contains(text), "\(error)")
            #expect(error.description.split(separator: "; ").count >= 2, "\(error)")
        }
    }

    @Test func `every credential error says what to do`() {
        let reasons: [(CredentialError.Reason, String)] = [
            (.notACertificate(code: 0), "bytes follow the certificate; "),
            (.notACertificate(code: 1), "not a certificate ("),
            (.noCertificate, "no certificate found; "),
            (.noPrivateKey, "no private key found; "),
            (.unusableKey(.unsupportedKey), "private key refused: "),
            (.keyMismatch(subject: "CN=a"), "does not belong to CN=a; "),
            (.notPKCS12(code: 1), "not a PKCS #12 file ("),
            (.wrongPassword, "wrong password for the PKCS #12 file; "),
            (.retiredCipher, "uses a retired cipher; "),
            (.missingCommonName, "no common name; set the attribute CN"),
            (.unknownAttribute("x"), "unknown attribute x; "),
            (.invalidAttribute(name: "C", value: "x"), #""x" is no value for C; "#),
            (.emptyValidity(notBefore: Self.date, notAfter: Self.date), "valid from 2027-01-15"),
            (.issuerIsNoAuthority(subject: "CN=a"), "CN=a may not sign certificates; "),
            (.invalidLabel(""), #"label "" cannot be used; "#),
            (.labelTaken("a"), #"label "a" exists; delete it first"#),
            (.exposed(path: "/p", mode: 0o644), "/p has mode 644 or another owner; chmod"),
            (.file(path: "/p", errno: ENOENT), "/p: No such file or directory; "),
            (.tooLarge(byteCount: 2, limit: 1), "2 bytes exceed the limit of 1; "),
            (.library(step: .signing, code: 1), "making the certificate failed ("),
        ]
        for (reason, text) in reasons {
            let error = CredentialError(reason)
            #expect(error.description.hasPrefix("TLS identity: "), "\(error)")
            #expect(error.description.contains(text), "\(error)")
        }
    }
}

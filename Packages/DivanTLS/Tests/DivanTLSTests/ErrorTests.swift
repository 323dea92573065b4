import DivanCrypto
import DivanPlatform
import DivanTLS
import Foundation
import Testing

/// Each error has the code that applications know, and one line of place, problem and remedy.
@Suite struct ErrorTests {
    typealias Row = (reason: TLSError.Reason, code: Int?, text: String)

    static let date = Date(timeIntervalSince1970: 1_800_000_000)
    static let certificates: [Row] = [
        (
            .certificate(.unknownRoot(issuer: "CN=Root")), 11,
            "certificate signed by an unknown authority (CN=Root); "
        ),
        (.certificate(.notPinned), 11, "certificate does not match the pinned certificate; "),
        (
            .certificate(.notSelfSigned(certificateCount: 2)), 8,
            "expected a single self-signed certificate, received 2 certificates"
        ),
        (.certificate(.revoked), 14, "revoked; install a new certificate"),
        (.certificate(.expired(notAfter: date)), 7, "expired on 2027-01-15 08:00:00"),
        (.certificate(.notYetValid(notBefore: date)), 8, "not valid before 2027-01-15 08:00:00"),
        (
            .certificate(.wrongName(expected: "a", claimed: ["b", "c"])), 15,
            "is for b, c, not for a; connect to one of these names, or pin"
        ),
        (.certificate(.refusedByCallback), 8, "the application rejected the certificate; "),
        (.certificate(.invalid(code: 26)), 8, "invalid certificate ("),
        (.certificate(.invalid(code: 68)), 8, "signed with a weak digest, such as SHA-1 ("),
        (.certificate(.invalid(code: 66)), 8, "a key that is too short ("),
        (
            .certificate(.invalid(code: 7)), 8,
            "a certificate in the chain has an invalid signature ("
        ),
        (
            .certificate(.invalid(code: 79)), 8,
            "signed by a certificate that is not a valid authority ("
        ),
    ]
    static let others: [Row] = [
        (
            .clientCertificateMissing, 6,
            "the client presented no certificate; configure an identity on the client"
        ),
        (
            .clientCertificateRequired(alert: 116), 9,
            "the server requires a client certificate (alert 116, "
        ),
        (
            .certificateRefused(alert: 48), 10,
            "the peer rejected the local certificate (alert 48, unknown CA); "
        ),
        (
            .alert(40), 6,
            "the peer ended the handshake (alert 40, handshake failure); check the peer's log"
        ),
        (.alert(20), nil, "the peer ended the handshake (alert 20, "),
        (
            .plaintextHTTP, 6,
            "the peer uses plain HTTP, not TLS; use wss on both sides, or ws on both"
        ),
        (.notTLS(firstBytes: [0x53, 0x53]), 6, "first bytes: 5353); check the port"),
        (.unsupportedVersion, 6, "the peer supports neither TLS 1.2 nor TLS 1.3; update"),
        (.handshake(code: 0), 6, "handshake failed (OpenSSL error 0); "),
        (.record(code: 0), nil, "invalid record (OpenSSL error 0); "),
        (.closedDuringHandshake, nil, "connection closed during the handshake; retry"),
        (.truncated, nil, "connection closed without close_notify; retry"),
        (.notOpen, 6, "the session is not open for sending; "),
        (.serverNameMissing, 6, "no server name to verify the certificate against; "),
        (.serverNameInvalid("a b"), 6, #"invalid host name "a b"; "#),
        (.credential(code: 0), 6, "OpenSSL rejects the local certificate or key ("),
        (.setup(code: 0), 6, "OpenSSL setup failed ("),
    ]

    @Test func `every error has its code and a solution`() {
        for (reason, code, text) in Self.certificates + Self.others {
            let error = TLSError(reason, role: .client, serverName: "h.example")
            #expect(error.networkCode == code, "\(reason)")
            #expect(error.description.hasPrefix("TLS to h.example: "), "\(error)")
            #expect(error.description.contains(text), "\(error)")
            #expect(error.description.split(separator: "; ").count >= 2, "\(error)")
        }
    }

    @Test func `every credential error has a solution`() {
        let reasons: [(CredentialError.Reason, String)] = [
            (.notACertificate(code: 0), "extra bytes after the certificate; "),
            (.notACertificate(code: 1), "not a certificate ("),
            (.noCertificate, "no certificate found; "),
            (.noPrivateKey, "no private key found; "),
            (.unusableKey(.unsupportedKey), "private key: unsupported algorithm; use RSA, "),
            (.keyMismatch(subject: "CN=a"), "does not belong to CN=a; "),
            (.notPKCS12(code: 1), "not a PKCS #12 file ("),
            (.wrongPassword, "wrong password for the PKCS #12 file; "),
            (.retiredCipher, "uses a retired cipher; "),
            (.missingCommonName, "the common name is missing; set the attribute CN"),
            (.unknownAttribute("x"), "unknown attribute x; "),
            (.invalidAttribute(name: "C", value: "x"), #"invalid value "x" for C; "#),
            (
                .emptyValidity(notBefore: Self.date, notAfter: Self.date),
                "the validity period from 2027-01-15"
            ),
            (.issuerIsNoAuthority(subject: "CN=a"), "CN=a cannot sign certificates; "),
            (.invalidLabel(""), #"invalid label ""; "#),
            (.labelTaken("a"), #"label "a" already exists; delete it first"#),
            (.exposed(path: "/p", mode: 0o644), "/p has mode 644 or another owner; run chmod"),
            (
                .file(path: "/p", errno: Errno.noSuchFileOrDirectory.rawValue),
                "/p: No such file or directory; "
            ),
            (.tooLarge(byteCount: 2, limit: 1), "2 bytes exceed the limit of 1; "),
            (.library(step: .signing, code: 1), "creating the certificate failed ("),
        ]
        for (reason, text) in reasons {
            let error = CredentialError(reason)
            #expect(error.description.hasPrefix("TLS identity: "), "\(error)")
            #expect(error.description.contains(text), "\(error)")
        }
    }
}

import DivanCrypto
import DivanTLS
import Testing

/// A session of ours against OpenSSL's own program, and the expected result.
struct Combination: Sendable {
    enum Key: String {
        case rsa2048 = "RSA-2048"
        case rsa3072 = "RSA-3072"
        case p256 = "P-256"
        case p384 = "P-384"
    }

    enum ServerCertificate: String {
        case sound, expired
        case selfSigned = "self-signed"
        case notYetValid = "not yet valid"
        case forClients = "for clients only"
    }

    /// How our end judges the other end's certificate.
    enum PeerVerification: String {
        case root = "its root"
        case otherRoot = "another root"
        case systemRoots = "system roots"
        case pinnedLeaf = "pinned leaf"
        case pinnedRoot = "pinned root of the chain"
        case pinnedOther = "pinned other certificate"
        case selfSignedOnly = "self-signed only"
        case callbackAccepts = "call-back says yes"
        case callbackRefuses = "call-back says no"
        case nothing = "–"
    }

    enum ClientCertificate: String {
        case notAsked = "not asked for"
        case absent = "required, absent"
        case sound = "required, sound"
        case ofOtherRoot = "required, of another root"
        case expired = "required, expired"
        case forServers = "required, for servers only"
    }

    enum Special: String {
        case none = "–"
        case resumed = "second session, resumed"
        case commonProtocol = "ALPN: a, b against b, c"
        case noCommonProtocol = "ALPN: a against c"
        case weakSuite = "weak suite"
        case otherName = "other host name"
        case renegotiation = "asks to renegotiate"
    }

    enum Outcome: Equatable {
        case success
        /// The code in the Network domain.
        case code(Int)
    }

    var ours: TLSContext.Role
    var version = "1.3"
    var key = Key.p256
    var certificate = ServerCertificate.sound
    var verification: PeerVerification
    var client = ClientCertificate.notAsked
    var special = Special.none
    var expected = Outcome.success
}

extension Combination: CustomTestStringConvertible {
    /// What is combined, and the expected outcome.
    var testDescription: String {
        let end = ours == .client ? "client, `s_server`" : "server, `s_client`"
        let outcome =
            switch expected {
            case .success: "success"
            case .code(let code): "Network/\(code)"
            }
        return [
            end, "TLS \(version)", key.rawValue, certificate.rawValue, verification.rawValue,
            client.rawValue, special.rawValue, outcome,
        ].joined(separator: " | ")
    }
}

extension Combination {
    static let all = clients + servers

    private static func client(
        _ version: String = "1.3",
        _ key: Key = .p256,
        _ certificate: ServerCertificate = .sound,
        judges verification: PeerVerification = .root,
        presents client: ClientCertificate = .notAsked,
        with special: Special = .none,
        gives expected: Outcome = .success
    ) -> Combination {
        Combination(
            ours: .client,
            version: version,
            key: key,
            certificate: certificate,
            verification: verification,
            client: client,
            special: special,
            expected: expected
        )
    }

    private static func server(
        _ version: String = "1.3",
        _ key: Key = .p256,
        judges verification: PeerVerification = .nothing,
        presented client: ClientCertificate = .notAsked,
        with special: Special = .none,
        gives expected: Outcome = .success
    ) -> Combination {
        Combination(
            ours: .server,
            version: version,
            key: key,
            verification: verification,
            client: client,
            special: special,
            expected: expected
        )
    }

    private static let clients: [Combination] = [
        client("1.2", .rsa2048), client("1.3", .rsa2048),
        client("1.2", .rsa3072), client("1.3", .rsa3072),
        client("1.2", .p256), client("1.3", .p256),
        client("1.2", .p384), client("1.3", .p384),
        client("1.1", gives: .code(6)),
        client(judges: .pinnedLeaf),
        client("1.2", judges: .pinnedRoot), client("1.3", judges: .pinnedRoot),
        client("1.3", .p256, .expired, judges: .pinnedLeaf),
        client("1.2", judges: .pinnedOther, gives: .code(11)),
        client("1.3", judges: .pinnedOther, gives: .code(11)),
        client("1.2", .rsa2048, .selfSigned, judges: .selfSignedOnly),
        client("1.3", .p256, .selfSigned, judges: .selfSignedOnly),
        client(judges: .selfSignedOnly, gives: .code(8)),
        client(judges: .callbackAccepts),
        client(judges: .callbackRefuses, gives: .code(8)),
        client("1.2", judges: .otherRoot, gives: .code(11)),
        client("1.3", judges: .otherRoot, gives: .code(11)),
        client(judges: .systemRoots, gives: .code(11)),
        client("1.3", .p256, .selfSigned, judges: .systemRoots, gives: .code(11)),
        client("1.2", .p256, .expired, gives: .code(7)),
        client("1.3", .p256, .expired, gives: .code(7)),
        client("1.3", .p256, .notYetValid, gives: .code(8)),
        client("1.3", .p256, .forClients, gives: .code(8)),
        client("1.2", with: .otherName, gives: .code(15)),
        client("1.3", with: .otherName, gives: .code(15)),
        client("1.2", presents: .absent, gives: .code(9)),
        client("1.3", presents: .absent, gives: .code(9)),
        client("1.2", presents: .sound), client("1.3", presents: .sound),
        client("1.2", .rsa2048, presents: .sound), client("1.3", .p384, presents: .sound),
        client("1.2", presents: .ofOtherRoot, gives: .code(10)),
        client("1.3", presents: .ofOtherRoot, gives: .code(10)),
        client("1.3", presents: .expired, gives: .code(10)),
        client("1.3", presents: .forServers, gives: .code(10)),
        client("1.2", with: .resumed), client("1.3", with: .resumed),
        client("1.2", with: .commonProtocol), client("1.3", with: .commonProtocol),
        client("1.3", with: .noCommonProtocol, gives: .code(6)),
    ]

    private static let servers: [Combination] = [
        server("1.2", .rsa2048), server("1.3", .rsa2048),
        server("1.2", .p256), server("1.3", .p256),
        server("1.2", .p384), server("1.3", .p384),
        server("1.1", gives: .code(6)),
        server("1.2", with: .weakSuite, gives: .code(6)),
        server("1.2", judges: .root, presented: .sound),
        server("1.3", judges: .root, presented: .sound),
        server("1.2", judges: .root, presented: .absent, gives: .code(6)),
        server("1.3", judges: .root, presented: .absent, gives: .code(6)),
        server("1.2", judges: .root, presented: .ofOtherRoot, gives: .code(11)),
        server("1.3", judges: .root, presented: .ofOtherRoot, gives: .code(11)),
        server("1.3", judges: .root, presented: .expired, gives: .code(7)),
        server("1.3", judges: .root, presented: .forServers, gives: .code(8)),
        server("1.3", judges: .callbackAccepts, presented: .ofOtherRoot),
        server("1.2", judges: .callbackRefuses, presented: .sound, gives: .code(8)),
        server("1.3", judges: .callbackRefuses, presented: .sound, gives: .code(8)),
        server("1.2", with: .resumed), server("1.3", with: .resumed),
        server("1.2", with: .commonProtocol), server("1.3", with: .commonProtocol),
        server("1.3", with: .noCommonProtocol, gives: .code(6)),
        server("1.2", with: .renegotiation),
    ]
}

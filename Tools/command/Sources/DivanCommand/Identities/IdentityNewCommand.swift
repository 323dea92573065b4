import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanPlatform
import DivanTLS
import Foundation

/// `divan identity new`.
enum IdentityNewCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity new",
        summary: "create an identity: a private key and a certificate",
        operands: [.init(name: "LABEL")],
        options: [
            .value("--name", "TEXT", "the common name of the certificate (default: LABEL)"),
            .value("--organization", "TEXT", "the organization"),
            .value(
                "--host",
                "HOST",
                isRepeating: true,
                "a host name or address of the server, which peers verify"
            ),
            .value(
                "--for",
                "ROLE",
                completion: .word(of: ["server", "client", "both"]),
                "'server', 'client' or 'both' (default: both)"
            ),
            .value("--days", "N", "validity in days (default: 365)"),
            .value(
                "--key",
                "KIND",
                completion: .word(of: ["rsa", "rsa:3072", "rsa:4096", "p256", "p384"]),
                "rsa, rsa:BITS, p256 or p384 (default: rsa, for all peers)"
            ),
            .flag("--authority", "allow the identity to sign other identities"),
            .value("--issuer", "LABEL", "the authority that signs it (default: self-signed)"),
            .json,
        ],
        details: """
            The private key is stored in a file that only you can read; 'divan identity show LABEL'
            prints its path. Give peers the certificate: 'divan identity export LABEL'.
            """,
        examples: [
            "divan identity new jukebox --host jukebox.local --host 192.168.1.20",
            "divan identity new cellar --authority --days 3650",
            "divan identity new robot --for client --issuer cellar --key p256",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let label = arguments.operands[0]
        guard !label.isEmpty else { throw CredentialError(.invalidLabel(label)) }
        let store = DirectoryIdentityStore(directory: TLSIdentity.storeDirectory)
        guard try store.credential(label: label) == nil else {
            throw CredentialError(.labelTaken(label))
        }
        let issuer = try arguments.value("--issuer").map {
            try StoredIdentities.credential($0, store)
        }
        let template = try template(arguments, label)
        let credential = try TLSCredential.generate(
            template,
            key: try key(arguments),
            issuer: issuer
        )
        try store.save(credential, label: label)
        if let issuer, issuer.leaf.notAfter < credential.leaf.notAfter {
            terminal.warn(
                "\(label) cannot be used after \(Days.text(issuer.leaf.notAfter)), because its "
                    + "issuer expires then"
            )
        }
        StoredIdentities.report(credential, label: label, terminal)
    }

    private static func template(
        _ arguments: Arguments,
        _ label: String
    ) throws -> CertificateTemplate {
        let now = Date()
        let days: Int = try arguments.number("--days", in: 1...36_500) ?? 365
        var attributes = ["CN": arguments.value("--name") ?? label]
        attributes["O"] = arguments.value("--organization")
        var template = CertificateTemplate(
            attributes: attributes,
            usages: try usages(arguments),
            now: now,
            notAfter: now + Double(days) * 86_400
        )
        template.isAuthority = arguments.has("--authority")
        template.alternativeNames = arguments.list("--host").map { host in
            IPAddress.bytes(host) == nil ? .hostname(host) : .ipAddress(host)
        }
        return template
    }

    private static func usages(_ arguments: Arguments) throws -> CertificateTemplate.Usages {
        switch arguments.value("--for") ?? "both" {
        case "server": return .serverAuth
        case "client": return .clientAuth
        case "both": return [.serverAuth, .clientAuth]
        case let role:
            throw Failure.usage(
                "invalid value '\(role)' for '--for'",
                hint: "use 'server', 'client' or 'both'"
            )
        }
    }

    private static func key(_ arguments: Arguments) throws -> PrivateKey.Kind {
        let text = arguments.value("--key") ?? "rsa"
        switch text {
        case "rsa": return .rsa(bitCount: 2048)
        case "p256": return .p256
        case "p384": return .p384
        default:
            let parts = text.split(separator: ":")
            guard parts.count == 2, parts[0] == "rsa", let bitCount = Int(parts[1]),
                PrivateKey.rsaBitCounts.contains(bitCount)
            else {
                throw Failure.usage(
                    "invalid value '\(text)' for '--key'",
                    hint: "use rsa, rsa:2048 to rsa:8192, p256 or p384"
                )
            }
            return .rsa(bitCount: bitCount)
        }
    }
}

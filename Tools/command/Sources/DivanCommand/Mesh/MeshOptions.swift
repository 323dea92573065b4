import CouchbaseLiteSwift
import DivanCommandLine
import DivanTLS
import Foundation

/// The options of a peer of a mesh: how it finds others, who it is, and whom it accepts.
struct MeshOptions {
    /// The options, in their groups.
    static let all = connection.grouped(.connection) + authentication.grouped(.authentication)

    private static let connection: [CommandSyntax.Option] = [
        .value("--seed", "URL", isRepeating: true, "connect to this peer: wss://HOST:PORT"),
        .flag("--no-discovery", "do not search the local network; requires --seed"),
        .value("--port", "PORT", short: "-p", "listen on this port (default: any free port)"),
        .value("--interface", "NAME", "listen only on this interface or address"),
    ]

    private static let authentication: [CommandSyntax.Option] = [
        .value(
            "--identity",
            "LABEL|FILE",
            completion: .file,
            "this peer's certificate: a label of 'divan identity ls', .pem or .p12"
        ),
        .value(
            "--peer-ca",
            "CERTS",
            completion: .file,
            "accept peers whose certificate these authorities signed"
        ),
        .value(
            "--peer-certificate",
            "CERT",
            isRepeating: true,
            completion: .file,
            "accept the peer with this certificate"
        ),
    ]

    private let arguments: Arguments
    /// The command in messages.
    private let command: String

    init(_ arguments: Arguments, _ command: String) {
        self.arguments = arguments
        self.command = command
    }

    var usesDiscovery: Bool { !arguments.has("--no-discovery") }

    func port() throws -> UInt16 { try arguments.number("--port", in: 0...65_535) ?? 0 }

    func credential(_ terminal: Terminal) throws -> TLSCredential {
        guard let name = arguments.value("--identity") else {
            throw Failure.usage(
                "\(command): missing option '--identity'",
                hint: "run 'divan identity new LABEL' to create an identity"
            )
        }
        return try StoredIdentities.credential(named: name, terminal)
    }

    /// The same for the public API.
    func identity(_ terminal: Terminal) throws -> TLSIdentity {
        try TLSIdentity(pem: try credential(terminal).pem())
    }

    /// The certificates of the authorities, or of the peers, that are accepted.
    func roots() throws -> [SecCertificate] {
        let options = ["--peer-ca", "--peer-certificate"]
        guard let option = try arguments.onlyOption(of: options) else {
            throw Failure.usage(
                "\(command): missing option '--peer-ca' or '--peer-certificate'",
                hint: "run 'divan identity export LABEL' to write a certificate to a file"
            )
        }
        return try arguments.values(option).flatMap { try IdentityFile.readCertificates($0) }
    }

    /// The seeds, each with scheme, host and port.
    func seeds() throws -> [URL] {
        try arguments.values("--seed").map { text in
            guard let url = URL(string: text), url.scheme == "wss", url.host != nil, url.port != nil
            else {
                throw Failure.usage(
                    "invalid value '\(text)' for '--seed'",
                    hint: "use wss://HOST:PORT"
                )
            }
            return url
        }
    }
}

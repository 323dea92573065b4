import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import Foundation
import Synchronization

/// `divan mesh join`.
enum MeshJoinCommand: Command {
    static let syntax = CommandSyntax(
        name: "mesh join",
        summary: "sync a database with all peers of a group",
        operands: [.database, .init(name: "GROUP")],
        options: connection.grouped(.connection) + authentication.grouped(.authentication) + [
            .value(
                "--collections",
                "LIST",
                short: "-c",
                isRepeating: true,
                "sync only these collections (default: all)"
            ),
            .json,
        ],
        details: """
            Runs until interrupted (Ctrl-C). Finds the other peers of GROUP on the local network or
            through --seed, and connects to a few of them. Changes reach the others through these.

            Peers verify each other's certificates. Each peer requires --identity, and either
            --peer-ca or --peer-certificate.

            Discovery requires avahi-daemon. Docs/guides/mesh.md describes how to set up a mesh.
            """,
        examples: [
            "divan mesh join notes team --identity robot --peer-ca cellar.pem",
            "divan mesh join notes team --identity robot --peer-ca cellar.pem --no-discovery "
                + "--seed wss://10.0.0.5:4985",
        ]
    )

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

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        // Installed before anything is opened, so that no signal is missed.
        let interruption = Interruption()
        let run = try MeshRun(arguments, terminal)
        defer { run.close() }
        try run.join()
        let ended = DispatchSemaphore(value: 0)
        interruption.onRequest { ended.signal() }
        ended.wait()
        run.leave()
    }
}

/// One database in a mesh, and the output about it.
private final class MeshRun: Sendable {
    private let database: Database
    private let mesh: Mesh
    private let events: EventLine
    private let terminal: Terminal
    private let group: String
    private let told = Mutex<[PeerID: String]>([:])

    init(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        group = arguments.operands[1]
        self.terminal = terminal
        events = EventLine(terminal, isTimed: true)
        guard let name = arguments.value("--identity") else {
            throw Failure.usage(
                "divan mesh join: missing option '--identity'",
                hint: "run 'divan identity new LABEL' to create an identity"
            )
        }
        let identity = try StoredIdentities.identity(name, terminal)
        let trust = try Self.trust(arguments)
        database = try path.openDatabase(publishesStatus: true)
        do {
            var configuration = Mesh.Configuration(
                group: group,
                collections: try database.collections(named: arguments.collections()),
                identity: identity,
                trust: trust
            )
            configuration.seeds = try arguments.values("--seed").map { try Self.seed($0) }
            if arguments.has("--no-discovery") { configuration.discovery = .seedsOnly }
            configuration.port = try arguments.number("--port", in: 0...65_535) ?? 0
            configuration.networkInterface = arguments.value("--interface")
            mesh = try Mesh(configuration)
        } catch {
            try? database.close()
            throw error
        }
    }

    private static func trust(_ arguments: Arguments) throws -> Mesh.Trust {
        let options = ["--peer-ca", "--peer-certificate"]
        guard let option = try arguments.onlyOption(of: options) else {
            throw Failure.usage(
                "divan mesh join: missing option '--peer-ca' or '--peer-certificate'",
                hint: "run 'divan identity export LABEL' to write a certificate to a file"
            )
        }
        return .roots(
            try arguments.values(option).flatMap { try IdentityFile.readCertificates($0) }
        )
    }

    private static func seed(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme == "wss", url.host != nil, url.port != nil
        else {
            throw Failure.usage("invalid value '\(text)' for '--seed'", hint: "use wss://HOST:PORT")
        }
        return url
    }

    func join() throws {
        let changes = mesh.events
        try mesh.join()
        events.write(
            "joined",
            [
                "database": .string(database.name), "group": .string(group),
                "peerID": .string("\(mesh.id)"), "port": JSON(mesh.port ?? 0),
            ],
            sentence: "Joined \(group) as \(mesh.id), listening on port \(mesh.port ?? 0)"
        )
        terminal.note("Press Ctrl-C to stop.")
        Task.detached { for await event in changes { self.show(event) } }
    }

    private func show(_ event: Mesh.Event) {
        switch event {
        case .status: break
        case .peer(let peer): show(peer)
        case .documents(let peer, let isPush, let documents):
            let failed = documents.count { $0.error != nil }
            events.write(
                "documents",
                [
                    "peerID": .string("\(peer)"),
                    "direction": .string(isPush ? "push" : "pull"),
                    "count": JSON(documents.count - failed), "failed": JSON(failed),
                ]
            )
        case .discoveryFailed(let error):
            let text = error.localizedDescription
            events.write("problem", ["text": .string(text)], sentence: text)
        }
    }

    /// Writes what has changed of a peer.
    private func show(_ peer: Mesh.Peer) {
        let line = MeshPeerLine(peer)
        let isNew = told.withLock { told in
            defer { told[peer.id] = line.text }
            return told[peer.id] != line.text
        }
        guard isNew else { return }
        events.write("peer", line.members, sentence: line.text)
    }

    func leave() {
        let left = DispatchSemaphore(value: 0)
        Task.detached { [mesh] in
            await mesh.leave()
            left.signal()
        }
        left.wait()
        events.write("left", sentence: "Left \(group)")
    }

    func close() { try? database.close() }
}

/// A peer as a line for people, and as members for machines.
private struct MeshPeerLine {
    private let peer: Mesh.Peer

    init(_ peer: Mesh.Peer) {
        self.peer = peer
    }

    var text: String {
        let name = peer.certificate?.commonName.map { " (\($0))" } ?? ""
        var line = "\(peer.id.description.prefix(12))\(name): "
        line += peer.isOnline ? "online" : "offline"
        if let link = peer.link {
            line += ", linked (\(link.reason.rawValue))"
            if peer.status.activity != .stopped { line += ", \(peer.status.activity)" }
        }
        if let error = peer.status.error { line += ", \(error.localizedDescription)" }
        return line
    }

    var members: JSONObject {
        var object: JSONObject = [
            "peerID": .string("\(peer.id)"), "online": .bool(peer.isOnline),
            "linked": .bool(peer.link != nil), "activity": .string("\(peer.status.activity)"),
        ]
        if let name = peer.certificate?.commonName { object["name"] = .string(name) }
        if let reason = peer.link?.reason { object["reason"] = .string(reason.rawValue) }
        if let error = peer.status.error { object["error"] = .string(error.localizedDescription) }
        return object
    }
}

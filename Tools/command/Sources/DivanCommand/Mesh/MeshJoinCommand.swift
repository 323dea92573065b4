import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanLog
import Foundation
import Synchronization

/// `divan mesh join`.
enum MeshJoinCommand: Command {
    static let syntax = CommandSyntax(
        name: "mesh join",
        summary: "sync a database with all peers of a group",
        operands: [.database, .init(name: "GROUP")],
        options: MeshOptions.all + [
            .collections("sync only these collections (default: all)"),
            .value(
                "--subscribe",
                "COLLECTION:CONDITION",
                isRepeating: true,
                "get only documents that meet this SQL++ condition"
            ),
            LogChoice.redaction, .json,
        ],
        details: """
            Runs until interrupted (Ctrl-C). Finds the other peers of GROUP on the local network or
            through --seed, and connects to a few of them. Changes reach the others through these.
            With --subscribe, other peers send only the documents of COLLECTION that meet
            CONDITION. Peers without it pass on the documents of all others.
            Other commands can read and write DATABASE in the meantime.

            Peers verify each other's certificates. Each peer requires --identity, and either
            --peer-ca or --peer-certificate.

            Discovery requires avahi-daemon. Docs/guides/mesh.md describes how to set up a mesh.
            """,
        examples: [
            "divan mesh join notes team --identity robot --peer-ca cellar.pem",
            "divan mesh join notes team --identity robot --peer-ca cellar.pem --no-discovery "
                + "--seed wss://10.0.0.5:4985",
            "divan mesh join notes team --identity robot --peer-ca cellar.pem "
                + "--subscribe \"_default:store = 'rome'\"",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        // Installed before anything is opened, so that no signal is missed.
        let interruption = Interruption()
        try LogChoice.apply(arguments)
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
    private let holder: Holder?
    private let events: EventLine
    private let terminal: Terminal
    private let group: String
    private let told = Mutex<[PeerID: String]>([:])

    init(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        group = arguments.operands[1]
        self.terminal = terminal
        events = EventLine(terminal, isTimed: true)
        let options = MeshOptions(arguments, "divan mesh join")
        let identity = try options.identity(terminal)
        let trust = Mesh.Trust.roots(try options.roots())
        database = try path.openDatabase(publishesStatus: true)
        do {
            var configuration = Mesh.Configuration(
                group: group,
                collections: try database.collections(named: arguments.collections()),
                identity: identity,
                trust: trust
            )
            try Self.subscribe(&configuration, to: arguments.values("--subscribe"))
            configuration.seeds = try options.seeds()
            if !options.usesDiscovery { configuration.discovery = .seedsOnly }
            configuration.port = try options.port()
            configuration.networkInterface = arguments.value("--interface")
            mesh = try Mesh(configuration)
        } catch {
            try? database.close()
            throw error
        }
        holder = Holder(path, as: "divan mesh join")
    }

    private static func subscribe(
        _ configuration: inout Mesh.Configuration,
        to subscriptions: [String]
    ) throws {
        for text in subscriptions {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else {
                throw Failure.usage(
                    "invalid value '\(text)' for '--subscribe'",
                    hint: "use COLLECTION:CONDITION, such as \"_default:store = 'rome'\""
                )
            }
            let name = try CollectionName.parsing(String(parts[0]))
            let index = configuration.collections.firstIndex {
                $0.collection.name == name.name && $0.collection.scope.name == name.scope
            }
            guard let index else {
                throw Failure.usage("'--subscribe': collection '\(parts[0])' is not synced")
            }
            configuration.collections[index].subscription = String(parts[1])
        }
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

    func close() {
        holder?.stop()
        try? database.close()
    }
}

/// A peer as a line for people, and as members for machines.
private struct MeshPeerLine {
    private let peer: Mesh.Peer
    private let name: String?
    private let error: String?

    init(_ peer: Mesh.Peer) {
        self.peer = peer
        name = peer.certificate?.commonName.map(LogSinks.redaction.user)
        error = peer.status.error.map { LogSinks.redaction.user($0.localizedDescription) }
    }

    var text: String {
        let name = name.map { " (\($0))" } ?? ""
        var line = "\(peer.id.description.prefix(12))\(name): "
        line += peer.isOnline ? "online" : "offline"
        if let link = peer.link {
            line += ", linked (\(link.reason.rawValue))"
            if peer.status.activity != .stopped { line += ", \(peer.status.activity)" }
        }
        if let error { line += ", \(error)" }
        return line
    }

    var members: JSONObject {
        var object: JSONObject = [
            "peerID": .string("\(peer.id)"), "online": .bool(peer.isOnline),
            "linked": .bool(peer.link != nil), "activity": .string("\(peer.status.activity)"),
        ]
        if let name { object["name"] = .string(name) }
        if let reason = peer.link?.reason { object["reason"] = .string(reason.rawValue) }
        if let error { object["error"] = .string(error) }
        return object
    }
}

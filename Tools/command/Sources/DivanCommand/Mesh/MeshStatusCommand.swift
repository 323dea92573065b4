import DivanCommandLine
import DivanJSON
import DivanStatus

/// `divan mesh status`.
enum MeshStatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "mesh status",
        summary: "show the peers of the mesh that a database has joined",
        operands: [.database],
        options: [
            .value("--explain", "ID", "show how this document reaches each peer"), .collection,
            .json,
        ],
        details: """
            Shows each peer that a running 'divan mesh join' has found: whether it is online, and
            the link to it, if any. Programs that use the library are included if they set
            DatabaseConfiguration.publishesStatus.

            A link's reason is 'ring' or 'hash' (chosen from the peers' IDs), 'bridge' (joins
            two parts of the mesh), or 'seed' (given with --seed). A 'surplus' link is no longer
            needed, and closes soon.
            --explain shows for each peer whether the document is sent to it, and over which link.
            A document is not sent if the peer has not subscribed to it; it may also have to wait.

            Exit code 3 if the database has not joined a mesh.
            """,
        examples: ["divan mesh status notes", "divan mesh status notes --explain monday"]
    )

    /// The published meshes of a database; at least one.
    static func meshes(of path: DatabasePath) throws -> [JSONObject] {
        try path.requireDatabase()
        let all = try StatusDirectory(bundle: path.bundle).read()
        let meshes = all.filter { $0["verb"] == .string("mesh") }
        guard !meshes.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "\(path.name) has not joined a mesh",
                hint: "run 'divan mesh join \(path.word) GROUP'"
            )
        }
        return meshes
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let explained = try arguments.value("--explain").map {
            try MeshDeliveryPage(of: $0, arguments)
        }
        for mesh in try meshes(of: arguments.database) {
            if let explained {
                explained.show(mesh, terminal)
            } else if terminal.isJSON {
                terminal.result(JSON.object(mesh).canonicalText)
            } else {
                for line in MeshPage(mesh).lines {
                    terminal.result(line.escapingControlCharacters())
                }
            }
        }
    }
}

/// A published mesh in readable form.
struct MeshPage {
    private let status: JSONObject

    init(_ status: JSONObject) {
        self.status = status
    }

    /// A heading, and a line for each peer.
    var lines: [String] {
        let online = Numbers.count(status["online"]?.count ?? 0, "peer")
        let links = Numbers.count(status["connections"]?.object?["open"]?.count ?? 0, "link")
        let heading =
            "mesh \(text("database", of: status)) \(text("group", of: status)), "
            + "port \(status["port"]?.count ?? 0) (process \(status["pid"]?.count ?? 0))"
        let own = "  \(text("peerID", of: status))"
        let peers = (status["peers"]?.array ?? []).compactMap(\.object).map { "    " + line($0) }
        return [heading, own, "  \(online) online, \(links)"] + peers
    }

    private func line(_ peer: JSONObject) -> String {
        var words = [String(text("peerID", of: peer).prefix(12)), text("name", of: peer)]
        words.append(peer["online"] == .bool(true) ? "online" : "offline")
        if peer["reason"] != nil {
            words.append(
                "\(text("direction", of: peer)) \(text("reason", of: peer)) link, "
                    + text("activity", of: peer)
            )
        }
        if peer["compatible"] == .bool(false) { words.append("different revision scheme") }
        words.append(text("error", of: peer))
        return words.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func text(_ key: String, of object: JSONObject) -> String {
        guard case .string(let text)? = object[key] else { return "" }
        return text
    }
}

import DivanCommandLine
import DivanJSON
import DivanStudio

/// `divan mesh graph`.
enum MeshGraphCommand: Command {
    static let syntax = CommandSyntax(
        name: "mesh graph",
        summary: "show which peers of a mesh are linked, and why",
        operands: [.database, .init(name: "GROUP", isOptional: true)],
        options: [
            .value(
                "--format",
                "FORMAT",
                short: "-f",
                completion: .word(of: Format.allCases.map(\.rawValue)),
                "text or svg (default: svg for a FILE that ends in .svg, otherwise text)"
            ).grouped(.output),
            .value(
                "--output",
                "FILE",
                short: "-o",
                completion: .file,
                "write to FILE instead of standard output"
            ).grouped(.output),
            .json,
        ],
        details: """
            Lists the peers in the order of the ring, each with its links. For this peer's own
            links, also shows the replication, its rate, and the pending documents.

            Links of other peers are those that they announce. Their reason is 'ring' or 'hash' if
            the link is planned, and 'other' if not. 'divan mesh status' explains the reasons.

            Shows at most \(MeshGraph.peerLimit) peers. Specify GROUP if the database has joined
            several meshes. Exit code 3 if it has not joined a mesh.
            """,
        examples: ["divan mesh graph notes", "divan mesh graph notes -o mesh.svg"]
    )

    private enum Format: String, CaseIterable {
        case text, svg
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let file = arguments.value("--output")
        let format = try format(arguments, terminal)
        let graph = try graph(arguments)
        let text =
            if terminal.isJSON {
                graph.json.canonicalText + "\n"
            } else if format == .svg {
                MeshPicture(graph).svg
            } else {
                MeshGraphPage(graph).lines.map { $0.escapingControlCharacters() + "\n" }.joined()
            }
        if let file { return try OutputFile.write(Array(text.utf8), to: file) }
        terminal.result(String(text.dropLast()))
    }

    private static func format(
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws(Failure) -> Format {
        guard let name = arguments.value("--format") else {
            let isPicture = arguments.value("--output")?.hasSuffix(".svg") == true
            return isPicture && !terminal.isJSON ? .svg : .text
        }
        guard let format = Format(rawValue: name) else {
            throw .usage("invalid value '\(name)' for '--format'", hint: "use one of text, svg")
        }
        guard !terminal.isJSON else {
            throw .usage("'--json' and '--format' cannot be combined")
        }
        return format
    }

    private static func graph(_ arguments: Arguments) throws -> MeshGraph {
        let path = arguments.database
        let group = arguments.operands.dropFirst().first
        let meshes = try MeshStatusCommand.meshes(of: path).compactMap { MeshGraph(status: $0) }
            .filter { group == nil || $0.group == group }
        guard let graph = meshes.first else {
            throw Failure(
                kind: .notFound,
                sentence: "\(path.name) has not joined the mesh \(group ?? "")",
                hint: "run 'divan mesh status \(path.word)' to list its meshes"
            )
        }
        guard meshes.count == 1 else {
            let names = meshes.map(\.group).joined(separator: ", ")
            throw Failure.usage(
                "\(path.name) has joined several meshes: \(names)",
                hint: "run 'divan mesh graph \(path.word) GROUP'"
            )
        }
        return graph
    }
}

/// The graph of a mesh in readable form.
struct MeshGraphPage {
    private let graph: MeshGraph

    init(_ graph: MeshGraph) {
        self.graph = graph
    }

    /// A heading, and for each peer a line and its links; a link is listed at both ends.
    var lines: [String] {
        let width = graph.peers.map(\.label.count).max() ?? 0
        var links = [[String]](repeating: [], count: graph.peers.count)
        for link in graph.links {
            let reason = "  " + link.reasonText.padding(to: 9)
            let other = graph.peers[link.ends.second].label
            if let traffic = link.traffic {
                let facts = [traffic.direction, traffic.activity] + traffic.figures
                let text = facts.joined(separator: ", ")
                links[link.ends.first].append("\(reason)\(other.padding(to: width))  \(text)")
            } else {
                links[link.ends.first].append(reason + other)
            }
            links[link.ends.second].append(reason + graph.peers[link.ends.first].label)
        }
        let peers = zip(graph.peers, links).flatMap { peer, links in
            let details = peer.details.joined(separator: ", ")
            return [peer.label + (details.isEmpty ? "" : " (\(details))")] + links
        }
        let omitted = graph.omittedPeerCount
        let rest = omitted > 0 ? ["\(Numbers.count(omitted, "more peer")) not shown"] : []
        return ["mesh \(graph.database) \(graph.group): \(graph.summary)"] + peers + rest
    }
}

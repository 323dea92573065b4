import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanStudio

/// `divan revs`.
enum RevisionsCommand: Command {
    static let syntax = CommandSyntax(
        name: "revs",
        summary: "show the revisions of a document",
        operands: [.database, .document],
        options: [
            .collection,
            .json,
        ],
        details: """
            The oldest revision comes first. A side branch is indented above the line that leads to
            the current revision. ● is a revision with its body, ○ is one without its body, and ✕
            is a tombstone. With version vectors, each revision is followed by the versions that it
            merged and those that it replaced.
            """,
        examples: ["divan revs travel de -c geo.countries"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let documentID = arguments.documentID(at: 1)
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let (history, remotes) = try store.read { reader in
            (try reader.revisions(of: documentID, in: collection), try reader.remotes())
        }
        guard let history else {
            throw try store.read { $0.noDocument(documentID, in: collection) }
        }
        guard !terminal.isJSON else {
            let graph = RevisionGraph(history, remotes: remotes, source: store.source)
            let object: JSON = [
                "id": .string(documentID.text), "collection": .string(collection.wireName),
                "revisions": .array(graph.nodes),
            ]
            return terminal.result(object.canonicalText)
        }
        let drawing = HistoryDrawing(history, remotes: remotes, source: store.source)
        for line in drawing.lines { terminal.result(line) }
    }
}

/// A document's known revisions as lines for people, under either revision scheme.
struct HistoryDrawing {
    let lines: [String]

    init(_ history: any RevisionHistory, remotes: [StoredRemote], source: SourceID) {
        switch history {
        case let tree as RevisionTree:
            lines = RevisionDrawing(tree, remotes: remotes).lines
        case let vectors as VectorHistory:
            lines = VectorDrawing(vectors, remotes: remotes, source: source).lines
        default: lines = []
        }
    }
}

/// A revision tree as lines for people.
struct RevisionDrawing {
    private let tree: RevisionTree
    private let remotes: [StoredRemote]
    private let current: RevisionID?

    init(_ tree: RevisionTree, remotes: [StoredRemote]) {
        self.tree = tree
        self.remotes = remotes
        current = tree.current?.id
    }

    /// The tree, one revision per line.
    var lines: [String] {
        var lines: [String] = []
        // From the oldest root, so that the branch with the current revision is drawn last.
        for root in roots { draw(root, prefix: "", into: &lines) }
        return lines
    }

    private typealias Position = Int

    /// The revisions without a parent; the one that the current revision descends from is last.
    private var roots: [Position] {
        sorted(tree.revisions.indices.filter { tree.revisions[$0].parent == nil })
    }

    private func children(of position: Position) -> [Position] {
        sorted(tree.revisions.indices.filter { tree.revisions[$0].parent == position })
    }

    /// Side branches first, in the order of their IDs.
    private func sorted(_ positions: [Position]) -> [Position] {
        let main = current.map { Set(tree.lineage(of: $0).map(\.id)) } ?? []
        return positions.sorted { left, right in
            let (left, right) = (tree.revisions[left].id, tree.revisions[right].id)
            return main.contains(left) != main.contains(right) ? main.contains(right) : left < right
        }
    }

    /// Draws a revision and its descendants; a tree has few branches, so the recursion is shallow.
    private func draw(_ start: Position, prefix: String, into lines: inout [String]) {
        var lead = prefix
        var position = start
        while true {
            lines.append(lead + line(tree.revisions[position]))
            lead = prefix.replacingBranches
            let children = children(of: position)
            for side in children.dropLast() { draw(side, prefix: lead + "├─", into: &lines) }
            guard let next = children.last else { return }
            position = next
        }
    }

    private func line(_ revision: RevisionTree.Revision) -> String {
        let sign = revision.isTombstone ? "✕" : revision.body == nil ? "○" : "●"
        var notes: [String] = []
        if revision.id == current { notes.append("current") }
        if revision.isTombstone { notes.append("tombstone") }
        if revision.flags.contains(.conflict) { notes.append("in conflict") }
        if revision.flags.contains(.closed) { notes.append("closes a branch") }
        for holder in holders(of: revision) {
            notes.append("on \(PeerURL.text(holder).escapingControlCharacters())")
        }
        if let body = revision.body, !revision.isTombstone {
            notes.append(Numbers.bytes(body.count))
        }
        let text = notes.isEmpty ? "" : "  " + notes.joined(separator: ", ")
        return "\(sign) \(revision.id)\(text)"
    }

    /// The remotes whose latest known revision this is.
    private func holders(of revision: RevisionTree.Revision) -> [String] {
        remotes.filter { tree.latest(at: $0.id) == revision.id }.map(\.name)
    }
}

extension String {
    /// The prefix below a line that began a branch.
    fileprivate var replacingBranches: String {
        hasSuffix("├─") ? String(dropLast(2)) + "│ " : self
    }
}

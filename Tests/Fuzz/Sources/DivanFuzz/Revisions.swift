import DivanRevisions

/// Any text is a revision ID that is written as it was read, or none; any bytes are a sound tree
/// that accepts further revisions, or an error.
enum Revisions: FuzzTarget {
    static let name = "revisions"

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let kind = reader.byte()
        let rest = reader.remainder()
        switch kind % 3 {
        case 0: return flaw(ofText: rest)
        case 1: return flaw(ofTree: rest)
        default: return flaw(ofHistories: rest)
        }
    }

    private static func flaw(ofText text: [UInt8]) -> String? {
        _ = RevisionID(encoded: text.span)
        guard let id = RevisionID(utf8: text.span) else { return nil }
        if Array(id.description.utf8) != text { return "\(text) is written as \(id)" }
        let encoded = id.encoded
        return RevisionID(encoded: encoded.span) == id ? nil : "\(id) is lost in its encoding"
    }

    private static func flaw(ofTree bytes: [UInt8]) -> String? {
        guard let current = RevisionID("3-cc"),
            var tree = try? RevisionTree(
                decoding: bytes.span,
                currentID: current,
                currentSequence: 7,
                currentBody: []
            )
        else { return nil }
        let again = try? RevisionTree(
            decoding: tree.encoded().span,
            currentID: current,
            currentSequence: 7,
            currentBody: []
        )
        if again != tree { return "comes back changed" }
        return grow(&tree, ["9-dd,8-dd,7-dd", "4-ee,3-cc", "4-ff,3-cc", "2-aa,1-aa"])
    }

    private static func flaw(ofHistories text: [UInt8]) -> String? {
        var tree = RevisionTree()
        let lines = text.split(separator: 10).prefix(30)
        return grow(&tree, lines.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Inserts each list of a revision and its ancestors, resolves conflicts, and calls all
    /// accessors of the tree.
    private static func grow(_ tree: inout RevisionTree, _ histories: [String]) -> String? {
        for (index, history) in histories.enumerated() {
            let ids = history.split(separator: ",").map { RevisionID(String($0)) }
            guard let first = ids.first, let newest = first, !ids.contains(nil) else { continue }
            _ = try? tree.insertRemote(
                newest,
                history: ids.dropFirst().compactMap { $0 },
                flags: index % 4 == 3 ? .tombstone : [],
                body: Array("{}".utf8),
                remote: index % 2 == 0 ? RemoteID(rawValue: 1) : nil,
                refusesConflicts: index % 3 == 2
            )
            tree.assignSequence(UInt64(index + 8))
            if index % 5 == 4, let conflict = tree.conflict {
                _ = try? tree.resolve(
                    local: conflict.local.id,
                    remote: conflict.remote.id,
                    as: .keepRemote
                )
            }
            if let flaw = flaw(of: tree) { return flaw }
        }
        return nil
    }

    private static func flaw(of tree: RevisionTree) -> String? {
        let ids = tree.revisions.map(\.id)
        if ids != ids.sorted(by: >) || Set(ids).count != ids.count { return "no order: \(ids)" }
        for leaf in tree.leaves {
            let lineage = tree.lineage(of: leaf.id).map(\.id.generation)
            if lineage != lineage.sorted(by: >) { return "no lineage: \(lineage)" }
            if lineage.count > RevisionLimits.depth { return "a branch of \(lineage.count)" }
        }
        guard let current = tree.current else { return ids.isEmpty ? nil : "no current revision" }
        let again = try? RevisionTree(
            decoding: tree.encoded().span,
            currentID: current.id,
            currentSequence: current.sequence,
            currentBody: current.body
        )
        return again == tree ? nil : "comes back changed from storage: \(ids)"
    }

    static func seeds() throws -> [[UInt8]] {
        let file = try Fixtures.json("DivanRevisions", "revids.json")
        let texts = Fixtures.texts(in: file).filter { RevisionID($0) != nil }
        var tree = RevisionTree()
        for list in ["3-bb,2-aa,1-aa", "3-cc,2-ab,1-aa"] {
            let ids = list.split(separator: ",").compactMap { RevisionID(String($0)) }
            _ = try tree.insertRemote(
                ids[0],
                history: Array(ids.dropFirst()),
                body: Array("{}".utf8),
                remote: RemoteID(rawValue: 1),
                refusesConflicts: false
            )
        }
        let histories = [
            "2-bb,1-aa\n3-cc,2-bb,1-aa\n3-cd,2-bb,1-aa\n2-bd,1-aa\n9-ee\n",
            "9223372036854775807-ff\n1-aa\n9223372036854775807-fe,9223372036854775806-aa\n",
        ]
        return texts.map { [0] + Array($0.utf8) } + [[1] + tree.encoded(), [1, 1, 1, 0, 0, 0, 0]]
            + histories.map { [2] + Array($0.utf8) }
    }
}

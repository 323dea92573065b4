import DivanCBLite
import DivanJSON
import DivanRevisions

/// Compares a document with the engine's line about it.
struct DocumentChecker {
    private let document: ForeignDocument
    private let expected: JSONObject
    private let source: String

    init(_ document: ForeignDocument, _ expected: JSONObject, source: String) {
        self.document = document
        self.expected = expected
        self.source = source
    }

    /// A sentence for each difference.
    func differences() throws -> [String] {
        guard let current = document.current else { return ["there is no current revision"] }
        var differences = [
            differ("rev", "\(current.id)", named("rev")),
            differ("seq", "\(document.sequence)", "\(expected["seq"]?.int ?? 0)"),
            differ("deleted", current.isTombstone, expected["deleted"]?.bool ?? false),
            differ(
                "conflicted",
                document.history.isConflicted,
                expected["conflicted"]?.bool ?? false
            ),
            differ("expiration", document.expiration ?? 0, expected["expiration"]?.int ?? 0),
            differ("damage", document.damage, nil),
        ]
        let body = String(decoding: current.body ?? [], as: UTF8.self)
        differences.append(differ("body", body, try expected["body"]?.canonicalText() ?? "{}"))
        for (remote, id) in expected["remotes"]?.object ?? [:] {
            let latest = document.history.latest(at: RemoteID(rawValue: UInt32(remote) ?? 0))
            let told = latest.map { "\($0)" } ?? ""
            differences.append(differ("remote \(remote)", told, named(id)))
        }
        if let tree = document.history as? RevisionTree {
            differences += try treeDifferences(tree)
        } else if let vectors = document.history as? VectorHistory {
            differences += try vectorDifferences(vectors)
        }
        return differences.compactMap { $0 }
    }

    /// Replaces the database's own source.
    private func named(_ value: JSON?) -> String {
        (value?.string ?? "").replacing("@*", with: "@" + source)
    }

    private func named(_ key: String) -> String { named(expected[key]) }

    private func differ<T: Equatable>(_ what: String, _ found: T, _ wanted: T) -> String? {
        found == wanted ? nil : "\(what): \(found) instead of \(wanted)"
    }

    private func treeDifferences(_ tree: RevisionTree) throws -> [String?] {
        var differences: [String?] = []
        // With vectors the engine reports the history of a tree as it would send it.
        if expected["vector"] == nil, let history = expected["history"]?.string {
            let lineage = tree.current.map { tree.lineage(of: $0.id) } ?? []
            let text = lineage.map { "\($0.id)" }.joined(separator: ",")
            differences.append(differ("history", text, history))
        }
        guard expected["vector"] == nil else { return differences }
        let told = expected["revs"]?.array ?? []
        differences.append(differ("revisions", tree.revisions.count, told.count))
        for revision in told {
            guard let id = RevisionID(revision["rev"]?.string ?? ""), let found = tree[id] else {
                differences.append("\(String(describing: revision["rev"])) is missing")
                continue
            }
            let parent = found.parent.map { "\(tree.revisions[$0].id)" } ?? ""
            differences += [
                differ("\(id) parent", parent, revision["parent"]?.string ?? ""),
                differ("\(id) flags", flags(found, tree.isLeaf(id)), revision["flags"]?.int ?? 0),
                differ("\(id) seq", Int64(found.sequence), revision["seq"]?.int ?? 0),
            ]
            guard id != tree.current?.id else { continue }
            let body = found.body.map { String(decoding: $0, as: UTF8.self) }
            differences.append(differ("\(id) body", body, try revision["body"]?.canonicalText()))
        }
        return differences
    }

    /// As the engine writes them.
    private func flags(_ revision: HistoryRevision, _ isLeaf: Bool) -> Int64 {
        var flags: Int64 = isLeaf ? 2 : 0
        if revision.flags.contains(.tombstone) { flags |= 0x01 }
        if revision.flags.contains(.hasBlobs) { flags |= 0x08 }
        if revision.flags.contains(.keepsBody) { flags |= 0x10 }
        if revision.flags.contains(.conflict) { flags |= 0x20 }
        if revision.flags.contains(.closed) { flags |= 0x40 }
        return flags
    }

    private func vectorDifferences(_ history: VectorHistory) throws -> [String?] {
        var differences: [String?] = []
        for told in expected["revs"]?.array ?? [] {
            let name = named(told["rev"])
            guard let known = history.known.first(where: { "\($0.revision.id)" == name }) else {
                differences.append("\(name) is missing")
                continue
            }
            if let vector = told["vector"] {
                let text = named(vector).replacing(" ", with: "")
                let found = known.mixed.description.replacing(" ", with: "")
                differences.append(differ("\(name) vector", found, text))
            }
            guard name != named("rev") else { continue }
            let body = String(decoding: known.revision.body ?? [], as: UTF8.self)
            differences += [
                differ("\(name) body", body, try told["body"]?.canonicalText() ?? "{}"),
                differ(
                    "\(name) conflict",
                    known.revision.flags.contains(.conflict),
                    (told["flags"]?.int ?? 0) & 32 != 0
                ),
            ]
        }
        return differences
    }
}

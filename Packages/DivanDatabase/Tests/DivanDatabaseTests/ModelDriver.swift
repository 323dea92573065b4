import DivanDatabase
import DivanRevisions
import DivanTestKit

/// Generates steps from a seed, and immediately applies each to the model.
struct ModelDriver {
    /// One step on a store; the same on every engine.
    struct Step {
        let name: String
        /// The result according to the model; `nil` means only that all engines agree.
        var expected: String?
        let run: (Store) throws -> String

        func outcome(on store: Store) -> String {
            do { return try run(store) } catch { return "\((error as? StoreError)?.code as Any)" }
        }
    }

    private(set) var model = Model()
    private var generator: SeededGenerator
    private static let remote = RemoteID(rawValue: 1)
    private static let paths =
        [CollectionPath.default]
        + ["red", "blue"].compactMap {
            CollectionPath($0)
        }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private func draw(_ range: Range<Int>, _ generator: inout SeededGenerator) -> Int {
        Int.random(in: range, using: &generator)
    }

    /// Three of every ten IDs differ only in the spelling of their letter.
    private static func id(_ number: Int) -> DocumentID {
        let spellings = [7: "\u{212B}", 8: "\u{C5}", 9: "A\u{30A}"]
        return DocumentID(
            unchecked: "doc-"
                + (spellings[number % 10].map { "\(number / 10)\($0)" } ?? "\(number)")
        )
    }

    mutating func next(_ number: Int) -> Step {
        let path = Self.paths[draw(0..<3, &generator)]
        guard model.collections[path] != nil else { return make(path) }
        let id = Self.id(draw(0..<30, &generator))
        let body = #"{"step":\#(number)}"#
        switch draw(0..<100, &generator) {
        case 0..<30: return save(id, path, body)
        case 30..<38: return save(id, path, nil)
        case 38..<44: return stale(id, path, body)
        case 44..<54: return received(id, path, draw(0..<4, &generator) == 0 ? nil : body)
        case 54..<64: return root(id, path, draw(0..<4, &generator) == 0 ? nil : body, number)
        case 64..<74: return resolve(id, path, body)
        case 74..<80: return mark(id, path)
        case 80..<84: return purge(id, path)
        case 84..<88: return expire(id, path, Int64(number))
        case 88..<92: return undone(id, path, body)
        case 92..<96: return checkpoint(of: path, body)
        case 96..<98: return purgeExpired(Int64(number))
        default: return drop(path)
        }
    }

    // MARK: Local

    private mutating func save(_ id: DocumentID, _ path: CollectionPath, _ body: String?) -> Step {
        model.save(id, path, body)
        let sequence = model.collections[path]?.lastSequence ?? 0
        return Step(name: "save \(id)", expected: "\(sequence) \(body ?? "{}")") { store in
            let revision =
                body.map { LocalRevision(id, body: Array($0.utf8)) } ?? LocalRevision(deleting: id)
            let outcome = try store.save(revision, in: path)
            guard case .saved(let document) = outcome else { return "conflict" }
            return "\(document.sequence) \(String(decoding: document.body, as: UTF8.self))"
        }
    }

    /// A save that expects no document, or one that is not current.
    private mutating func stale(_ id: DocumentID, _ path: CollectionPath, _ body: String) -> Step {
        let isNew = model[id, path]?.isTombstone ?? true
        if isNew { model.save(id, path, body) }
        return Step(name: "save new \(id)", expected: isNew ? "saved" : "conflict") { store in
            let revision = LocalRevision(id, body: Array(body.utf8), over: .revision(nil))
            let outcome = try store.save(revision, in: path)
            guard case .saved = outcome else { return "conflict" }
            return "saved"
        }
    }

    private mutating func purge(_ id: DocumentID, _ path: CollectionPath) -> Step {
        let isThere = model[id, path] != nil
        model.collections[path]?.documents[id] = nil
        return Step(name: "purge \(id)", expected: "\(isThere)") { store in
            try store.write { "\(try $0.purge(id, in: path))" }
        }
    }

    /// A transaction that is rolled back.
    private mutating func undone(_ id: DocumentID, _ path: CollectionPath, _ body: String) -> Step {
        Step(name: "undo \(id)", expected: "undone") { store in
            do {
                try store.write { writer in
                    _ = try writer.save(id, in: path, body: Array(body.utf8))
                    try writer.purge("doc-1", in: path)
                    try writer.createCollection(
                        CollectionPath(scope: "never", name: "seen") ?? path
                    )
                    throw Unexpected(outcome: "undone")
                }
            } catch let error as Unexpected { return error.outcome }
            return "done"
        }
    }

    // MARK: From the remote

    /// A revision that continues the current one, or a first one; leaves documents in conflict alone.
    private mutating func received(
        _ id: DocumentID,
        _ path: CollectionPath,
        _ body: String?
    ) -> Step {
        guard model[id, path]?.remote == nil else { return purgeExpired(-1) }
        model.continue(id, path, body)
        return Step(name: "receive \(id)", expected: "false") { store in
            try store.write { writer in
                let current = try writer.document(id, in: path, includingTombstones: true)?
                    .revisionID
                let generation = (current?.generation ?? 0) + 1
                let received = try Self.revision(
                    id,
                    "\(generation)-\(Self.digest(body ?? "gone"))",
                    current.map { [$0] } ?? [],
                    body
                )
                return try Self.isConflict(writer.insert(received, in: path))
            }
        }
    }

    private mutating func root(
        _ id: DocumentID,
        _ path: CollectionPath,
        _ body: String?,
        _ number: Int
    ) -> Step {
        model.root(id, path, body)
        let isConflict = model[id, path]?.remote != nil
        return Step(name: "root \(id)", expected: "\(isConflict)") { store in
            let root = try Self.revision(id, "1-\(Self.digest("root \(number)"))", [], body)
            return try store.write { try Self.isConflict($0.insert(root, in: path)) }
        }
    }

    private mutating func resolve(_ id: DocumentID, _ path: CollectionPath, _ body: String) -> Step
    {
        let decisions: [ConflictDecision] = [
            .keepLocal, .keepRemote, .delete, .merge(body: Array(body.utf8), hasBlobs: false),
        ]
        let decision = decisions[draw(0..<4, &generator)]
        let isDue = model[id, path]?.remote != nil
        model.resolve(id, path, decision)
        let left = isDue ? model[id, path]?.body : "none"
        return Step(name: "resolve \(id) \(decision)", expected: left) { store in
            try store.write { writer in
                guard let conflict = try writer.conflict(of: id, in: path) else { return "none" }
                let outcome = try writer.resolveConflict(
                    id,
                    in: path,
                    local: conflict.local.revisionID,
                    remote: conflict.remote.revisionID,
                    decision: decision
                )
                return outcome?.text ?? "moved"
            }
        }
    }

    private mutating func mark(_ id: DocumentID, _ path: CollectionPath) -> Step {
        let rests = model[id, path]?.remote != nil
        if !rests { model.collections[path]?.documents[id]?.isKnown = true }
        return Step(name: "mark \(id)", expected: nil) { store in
            try store.write { writer in
                guard !rests,
                    let current = try writer.document(id, in: path, includingTombstones: true)
                else { return "none" }
                try writer.markKnown(id, current.revisionID, at: Self.remote, in: path)
                let known = try writer.remoteAncestor(of: id, at: Self.remote, in: path)
                return "\(known == current.revisionID) \(current.revisionID)"
            }
        }
    }

    private static func revision(
        _ id: DocumentID,
        _ revisionID: String,
        _ history: [RevisionID],
        _ body: String?
    ) throws -> RemoteRevision {
        RemoteRevision(
            documentID: id,
            revisionID: try DivanDatabaseTests.revision(revisionID),
            history: history,
            isTombstone: body == nil,
            body: Array((body ?? "{}").utf8),
            remote: remote
        )
    }

    private static func isConflict(_ outcome: InsertOutcome) -> String {
        if case .inserted(_, let isConflict, _) = outcome { "\(isConflict)" } else { "there" }
    }

    private static func digest(_ text: String) -> String {
        BlobDigest(hashing: Array(text.utf8).span).bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    // MARK: Beside the documents

    private mutating func expire(_ id: DocumentID, _ path: CollectionPath, _ now: Int64) -> Step {
        let time = now + Int64(draw(0..<200, &generator))
        let isThere = model[id, path] != nil
        model.collections[path]?.documents[id]?.expiration = time
        return Step(name: "expire \(id)", expected: isThere ? "set" : nil) { store in
            try store.write { try $0.setExpiration(time, of: id, in: path) }
            return "set"
        }
    }

    private mutating func purgeExpired(_ now: Int64) -> Step {
        let count = model.expire(now)
        return Step(name: "purge expired", expected: "\(count)") { store in
            "\(try store.purgeExpired(now: now))"
        }
    }

    private mutating func checkpoint(of path: CollectionPath, _ body: String) -> Step {
        model.checkpoint = body
        model.checkpointCollection = path
        return Step(name: "checkpoint of \(path)", expected: body) { store in
            try store.setLocalCheckpoint("cp", of: path, Array(body.utf8))
            return try store.localCheckpoint("cp").map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    private mutating func make(_ path: CollectionPath) -> Step {
        model.collections[path] = Model.Collection(lastSequence: model.ends[path] ?? 0)
        return Step(name: "make \(path)", expected: "true") { store in
            try store.createCollection(path)
            return "\(try store.hasCollection(path))"
        }
    }

    private mutating func drop(_ path: CollectionPath) -> Step {
        let end = model.collections[path]?.lastSequence ?? 0
        model.ends[path] = end
        model.collections[path] = path == .default ? Model.Collection(lastSequence: end) : nil
        if model.checkpointCollection == path { model.checkpoint = nil }
        return Step(name: "drop \(path)", expected: "\(path == .default)") { store in
            try store.deleteCollection(path)
            return "\(try store.hasCollection(path))"
        }
    }
}

public import DivanRevisions

/// Creates documents from rows, without access to files.
public struct RecordReader: Sendable {
    private let keys: SharedKeys
    private let owner: SourceID

    /// Creates a reader for the rows of one database.
    ///
    /// - Parameters:
    ///   - keys: The shared keys of the database.
    ///   - owner: The public UUID of the database, which replaces `*` in vectors.
    public init(keys: SharedKeys, owner: SourceID) {
        self.keys = keys
        self.owner = owner
    }

    /// Reads one row.
    ///
    /// If only the history of a row is damaged, the result is its current revision with the damage.
    ///
    /// - Throws: `RecordDamage` if there is no current revision, or if a later row contains it.
    public func document(_ record: Record) throws(RecordDamage) -> ForeignDocument {
        if let damage = record.damage { throw damage }
        guard let text = String(validating: record.key, as: UTF8.self),
            let documentID = try? DocumentID(received: text)
        else { throw RecordDamage("key: invalid document ID") }
        guard record.sequence > 0 else { throw RecordDamage("sequence: less than 1") }
        guard record.sequence < CBLiteLimits.sequenceBound else {
            throw RecordDamage("sequence: \(record.sequence) is too large")
        }
        if let later = record.laterSequence {
            throw RecordDamage(
                "sequence: the document is in two tables; row \(later) was used "
                    + "instead of row \(record.sequence)"
            )
        }
        var document = ForeignDocument(
            documentID: documentID,
            sequence: UInt64(record.sequence),
            history: RevisionTree(),
            expiration: record.expiration.flatMap { $0 > 0 ? $0 : nil },
            namesBlobs: record.flags & Record.Flag.hasBlobs != 0
        )
        guard let first = record.version.first else { throw RecordDamage("version: empty") }
        var budget = TranscriptBudget()
        do throws(RecordDamage) {
            if first == 0 || record.extra?.starts(with: VectorRecord.mark) ?? false {
                document.history = try vectors(of: record, &budget)
            } else {
                document.history = try tree(of: record, &budget)
            }
        } catch {
            document.history = try currentAlone(record, after: error)
            document.damage = error
        }
        return document
    }

    // MARK: Bodies

    private func body(
        _ bytes: [UInt8]?,
        of column: String = "body",
        _ budget: inout TranscriptBudget
    ) throws(RecordDamage) -> [UInt8] {
        guard let bytes, !bytes.isEmpty else { return Array("{}".utf8) }
        let fleece = Fleece(bytes)
        let root = try inside(column) { () throws(RecordDamage) in try fleece.root() }
        return try json(root, in: fleece, column, &budget)
    }

    private func json(
        _ value: Fleece.Value,
        in fleece: Fleece,
        _ column: String,
        _ budget: inout TranscriptBudget
    ) throws(RecordDamage) -> [UInt8] {
        guard case .dictionary = value else {
            throw RecordDamage("\(column): a body is not a dictionary")
        }
        return try inside(column) { () throws(RecordDamage) in
            try FleeceTranscript.json(of: value, in: fleece, keys: keys, budget: &budget)
        }
    }

    private func inside<T>(
        _ column: String,
        _ read: () throws(RecordDamage) -> T
    ) throws(RecordDamage) -> T {
        do throws(RecordDamage) { return try read() } catch { throw error.inside(column) }
    }

    // MARK: Trees

    private func tree(
        of record: Record,
        _ budget: inout TranscriptBudget
    ) throws(RecordDamage) -> RevisionTree {
        let isOld = Self.isOld(record)
        guard let column = isOld ? record.body : record.extra else {
            return try single(record, body: try body(record.body, &budget))
        }
        let past = isOld ? "body, past" : "extra"
        var tree = try inside(past) { () throws(RecordDamage) in try TreeRecord(column) }
        let current = try inside("version") { () throws(RecordDamage) in
            try TreeRecord.revisionID(record.version[...])
        }
        guard tree.entries[0].id == current else {
            throw RecordDamage("\(past): the first revision is not the current one")
        }
        if record.flags & Record.Flag.synced != 0 { tree.markCurrentAtFirstRemote() }
        var revisions: [HistoryRevision] = []
        revisions.reserveCapacity(tree.entries.count)
        for (index, entry) in tree.entries.enumerated() {
            var stored: [UInt8]?
            if let range = entry.body {
                // Damage in an old body leaves the current revision intact.
                let place = index == 0 ? "body" : past
                stored = try body(Array(column[range]), of: place, &budget)
            } else if index == 0 {
                stored = try body(isOld ? nil : record.body, &budget)
            }
            let revision = HistoryRevision(
                id: entry.id,
                parent: entry.parent,
                flags: RevisionFlags(tree: entry.flags),
                sequence: entry.sequence == 0 ? UInt64(record.sequence) : entry.sequence,
                body: stored
            )
            revisions.append(revision)
        }
        return try restored(revisions, tree.latest)
    }

    /// Whether a row is from 2.x, with the tree in `body`.
    private static func isOld(_ record: Record) -> Bool {
        record.extra == nil && record.body.map(TreeRecord.isTree) ?? false
    }

    private func restored(
        _ revisions: [HistoryRevision],
        _ latest: [UInt32: Int]
    ) throws(RecordDamage) -> RevisionTree {
        var marks: [RemoteID: Int] = [:]
        for (remote, index) in latest { marks[RemoteID(rawValue: remote)] = index }
        guard let tree = try? RevisionTree(restoring: revisions, latest: marks) else {
            throw RecordDamage("extra: the revisions do not form a tree")
        }
        guard tree.current?.id == revisions[0].id else {
            throw RecordDamage("extra: the first revision is not the winner")
        }
        return tree
    }

    private func single(_ record: Record, body: [UInt8]) throws(RecordDamage) -> RevisionTree {
        let id = try inside("version") { () throws(RecordDamage) in
            try TreeRecord.revisionID(record.version[...])
        }
        let isSynced = record.flags & Record.Flag.synced != 0
        var flags: RevisionFlags = isSynced ? [.keepsBody] : []
        if record.flags & Record.Flag.tombstone != 0 { flags.insert(.tombstone) }
        if record.flags & Record.Flag.hasBlobs != 0 { flags.insert(.hasBlobs) }
        let sequence = UInt64(record.sequence)
        let revision = HistoryRevision(id: id, flags: flags, sequence: sequence, body: body)
        return try restored([revision], isSynced ? [1: 0] : [:])
    }

    // MARK: Vectors

    private func vectors(
        of record: Record,
        _ budget: inout TranscriptBudget
    ) throws(RecordDamage) -> VectorHistory {
        guard let extra = record.extra, !extra.isEmpty else {
            return try vectors(of: record, nil, Fleece([]), &budget)
        }
        let fleece = Fleece((record.body ?? []) + extra, start: record.body?.count ?? 0)
        let others = try inside("extra") { () throws(RecordDamage) in
            try VectorRecord(fleece, owner: owner)
        }
        return try vectors(of: record, others, fleece, &budget)
    }

    private func vectors(
        of record: Record,
        _ extra: VectorRecord?,
        _ fleece: Fleece,
        _ budget: inout TranscriptBudget
    ) throws(RecordDamage) -> VectorHistory {
        var mixed = try inside("version") { () throws(RecordDamage) in
            try VectorRecord.mixed(record.version[...], owner: owner)
        }
        if let last = extra?.lastTreeID, !mixed.isLegacy { mixed.legacy = [last] }
        if let extra { mixed.legacy = extra.legacy(behind: mixed.legacy) }
        var current = VectorHistory.RestoredState(
            mixed,
            flags: RevisionFlags(vector: record.flags, isRemote: false),
            body: try body(record.body, &budget)
        )
        let isSynced = record.flags & Record.Flag.synced != 0
        if isSynced { current.remotes = [RemoteID(rawValue: 1)] }
        var others: [VectorHistory.RestoredState] = []
        for state in extra?.others ?? [] {
            if isSynced, state.remotes == [RemoteID(rawValue: 1)] { continue }
            var past = state.mixed
            past.legacy = extra?.legacy(behind: past.legacy) ?? past.legacy
            var stored = Array("{}".utf8)
            if let value = state.body { stored = try json(value, in: fleece, "extra", &budget) }
            others.append(
                VectorHistory.RestoredState(
                    past,
                    flags: RevisionFlags(vector: state.flags, isRemote: true),
                    body: stored,
                    remotes: state.remotes
                )
            )
        }
        guard
            let history = try? VectorHistory(
                restoring: current,
                others: others,
                sequence: UInt64(record.sequence)
            )
        else { throw RecordDamage("extra: a remote has two revisions") }
        return history
    }

    // MARK: Damage

    /// The current revision without its past; that revision itself may be what is damaged.
    private func currentAlone(
        _ record: Record,
        after damage: RecordDamage
    ) throws(RecordDamage) -> any RevisionHistory {
        var budget = TranscriptBudget()
        if record.version.first != 0, Self.isOld(record), let tree = record.body {
            let id = try? TreeRecord.revisionID(record.version[...])
            guard let current = try? TreeRecord.first(of: tree), current.id == id else {
                throw damage
            }
            let stored = current.body.map { Array(tree[$0]) }
            return try single(record, body: try body(stored, &budget))
        }
        guard damage.description.hasPrefix("extra: "), record.extra != nil else { throw damage }
        if record.version.first == 0 || record.extra?.starts(with: VectorRecord.mark) ?? false {
            return try vectors(of: record, nil, Fleece([]), &budget)
        }
        return try single(record, body: try body(record.body, &budget))
    }
}

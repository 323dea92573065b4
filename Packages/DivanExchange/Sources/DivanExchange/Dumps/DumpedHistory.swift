import DivanDatabase
import DivanJSON
import DivanRevisions

/// The known revisions of a document, converted to the members of `revisions` and back.
enum DumpedHistory {
    private static let flagNames: [(flag: RevisionFlags, name: String)] = [
        (.tombstone, "deleted"), (.hasBlobs, "blobs"), (.keepsBody, "kept"),
        (.conflict, "conflict"), (.closed, "closed"),
    ]

    // MARK: Writing

    /// The revisions of a history; `remotes` are those of the database.
    ///
    /// - Throws: `DumpDamage` for a body that is not text.
    static func revisions(
        of history: any RevisionHistory,
        remotes: [RemoteID]
    ) throws(DumpDamage) -> [DumpedRevision] {
        var marks: [RevisionID: [RemoteID]] = [:]
        for remote in remotes {
            if let id = history.latest(at: remote) { marks[id, default: []].append(remote) }
        }
        var revisions: [DumpedRevision] = []
        if let vectors = history as? VectorHistory {
            for (mixed, revision) in vectors.known {
                let at = marks[revision.id] ?? []
                revisions.append(try dumped(revision, named: "\(mixed)", at: at))
            }
        } else if let tree = history as? RevisionTree {
            for revision in tree.revisions {
                let at = marks[revision.id] ?? []
                revisions.append(try dumped(revision, named: "\(revision.id)", at: at))
            }
        }
        return revisions
    }

    private static func dumped(
        _ revision: HistoryRevision,
        named name: String,
        at remotes: [RemoteID]
    ) throws(DumpDamage) -> DumpedRevision {
        var object: JSONObject = ["rev": .string(name)]
        // A vector's other revisions are not in the changes feed, and have no meaningful sequence.
        if !revision.id.isVersion { object["sequence"] = JSON(revision.sequence) }
        if let parent = revision.parent { object["parent"] = JSON(parent) }
        let flags = flagNames.filter { revision.flags.contains($0.flag) }.map(\.name)
        if !flags.isEmpty { object["flags"] = .array(flags.map { .string($0) }) }
        if !remotes.isEmpty { object["remotes"] = .array(remotes.map { JSON($0.rawValue) }) }
        var dumped = DumpedRevision(members: object)
        if let body = revision.body { dumped.body = try DumpedRevision.Body(stored: body) }
        return dumped
    }

    // MARK: Reading

    /// The history of a document.
    ///
    /// - Parameters:
    ///   - document: The document as it appears in the dump.
    ///   - scheme: How its database names revisions.
    ///   - remotes: The remotes that the dump has named.
    /// - Returns: A sound history with a current revision.
    /// - Throws: `DumpDamage` for revisions that form no history; any other input gives a sound one.
    static func history(
        of document: DumpedDocument,
        scheme: RevisionScheme,
        remotes: Set<RemoteID>
    ) throws(DumpDamage) -> any RevisionHistory {
        var read: [ReadRevision] = []
        for revision in document.revisions {
            read.append(try ReadRevision(revision, of: document, remotes: remotes))
        }
        let history: any RevisionHistory =
            switch scheme {
            case .trees: try tree(of: read)
            case .vectors: try vectors(of: read, sequence: document.sequence)
            }
        guard let current = history.current, current.body != nil else {
            throw DumpDamage("the current revision has no body")
        }
        return history
    }

    private static func tree(of read: [ReadRevision]) throws(DumpDamage) -> RevisionTree {
        var revisions: [HistoryRevision] = []
        var latest: [RemoteID: Int] = [:]
        for (index, revision) in read.enumerated() {
            guard let id = RevisionID(revision.name) else {
                throw DumpDamage("\"\(revision.name.prefix(80))\" is not a tree revision ID")
            }
            for remote in revision.remotes where latest.updateValue(index, forKey: remote) != nil {
                throw DumpDamage("remote \(remote.rawValue) has two revisions")
            }
            revisions.append(
                HistoryRevision(
                    id: id,
                    parent: revision.parent,
                    flags: revision.flags,
                    sequence: revision.sequence,
                    body: revision.body
                )
            )
        }
        do throws(RevisionError) {
            return try RevisionTree(restoring: revisions, latest: latest)
        } catch {
            throw DumpDamage(
                "the revisions do not form a tree: one is duplicated, or comes before a child"
            )
        }
    }

    private static func vectors(
        of read: [ReadRevision],
        sequence: UInt64
    ) throws(DumpDamage) -> VectorHistory {
        var states: [VectorHistory.RestoredState] = []
        for revision in read {
            guard let mixed = try? MixedVector(revision.name), mixed.current != nil else {
                throw DumpDamage("\"\(revision.name.prefix(80))\" is not a version vector")
            }
            states.append(
                VectorHistory.RestoredState(
                    mixed,
                    flags: revision.flags,
                    body: revision.body,
                    remotes: revision.remotes
                )
            )
        }
        guard let current = states.first,
            let history = try? VectorHistory(
                restoring: current,
                others: Array(states.dropFirst()),
                sequence: sequence
            )
        else { throw DumpDamage("a remote has two revisions") }
        return history
    }

    /// One member of `revisions`.
    private struct ReadRevision {
        let name: String
        let parent: Int?
        var flags: RevisionFlags = []
        let sequence: UInt64
        let body: [UInt8]?
        var remotes: [RemoteID] = []

        init(
            _ dumped: DumpedRevision,
            of document: DumpedDocument,
            remotes known: Set<RemoteID>
        ) throws(DumpDamage) {
            let object = dumped.members
            let members = DumpMembers(object)
            name = try members.text("rev")
            sequence =
                object.contains("sequence")
                ? try members.sequence("sequence") : document.sequence
            guard sequence <= document.sequence else {
                throw DumpDamage("a revision is newer than its document")
            }
            parent =
                object.contains("parent")
                ? Int(try members.number("parent", in: 0...Int64(document.revisions.count - 1)))
                : nil
            body = dumped.body?.bytes
            for flag in object["flags"]?.array ?? [] {
                guard let found = flagNames.first(where: { $0.name == flag.string }) else {
                    throw DumpDamage("a flag of a revision is unknown")
                }
                flags.insert(found.flag)
            }
            for number in object["remotes"]?.array ?? [] {
                guard let value = number.int, let id = UInt32(exactly: value),
                    known.contains(RemoteID(rawValue: id))
                else { throw DumpDamage("a revision refers to a remote that has no line") }
                remotes.append(RemoteID(rawValue: id))
            }
            // Garbage collection must not depend on flags in a file.
            if let body, let named = try? BlobReferences.digests(in: body), !named.isEmpty {
                flags.insert(.hasBlobs)
            }
        }
    }
}

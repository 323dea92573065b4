internal import DivanRevisions

/// The revision tree of a document as Couchbase Lite 2 and 3 write it.
///
/// A list of revisions, the current one first, each with the index of its parent; a zero; then which
/// revision is the latest at each remote.
struct TreeRecord {
    /// One revision; its body by its position in the column.
    struct Entry {
        var id: RevisionID
        var parent: Int?
        var flags: UInt8
        var sequence: UInt64
        var body: Range<Int>?
    }

    /// The bits of a flag byte.
    enum Flag {
        static let tombstone: UInt8 = 0x01
        static let hasBlobs: UInt8 = 0x08
        static let keepsBody: UInt8 = 0x10
        static let conflict: UInt8 = 0x20
        static let closed: UInt8 = 0x40
        static let bodyFollows: UInt8 = 0x80
    }

    private(set) var entries: [Entry] = []
    /// By remote, the index of the latest revision that it is known to have.
    private(set) var latest: [UInt32: Int] = [:]

    /// Whether bytes can be a tree: sizes lead from one revision to the next, and finally to a zero.
    static func isTree(_ bytes: [UInt8]) -> Bool {
        var cursor = ByteCursor(bytes, in: bytes.indices)
        var count = 0
        while let size = cursor.long() {
            if size == 0 { return count > 0 }
            guard size >= 10, cursor.range(count: size - 4) != nil else { return false }
            count += 1
        }
        return false
    }

    init(_ bytes: [UInt8]) throws(RecordDamage) {
        var cursor = ByteCursor(bytes, in: bytes.indices)
        while true {
            guard let size = cursor.long() else { throw RecordDamage("truncated revision tree") }
            if size == 0 { break }
            guard size >= 9, entries.count < CBLiteLimits.revisionCount,
                let range = cursor.range(count: size - 4)
            else { throw RecordDamage("revision \(entries.count) is longer than the tree") }
            entries.append(try Self.entry(bytes, in: range))
        }
        guard !entries.isEmpty else { throw RecordDamage("the revision tree is empty") }
        for (index, entry) in entries.enumerated() {
            if let parent = entry.parent, parent >= entries.count || parent == index {
                throw RecordDamage("the parent of revision \(index) is invalid")
            }
        }
        try readMarks(&cursor)
    }

    /// Reads only the current revision, whatever the others are.
    static func first(of bytes: [UInt8]) throws(RecordDamage) -> Entry {
        var cursor = ByteCursor(bytes, in: bytes.indices)
        guard let size = cursor.long(), size >= 9, let range = cursor.range(count: size - 4) else {
            throw RecordDamage("the revision tree is empty")
        }
        return try entry(bytes, in: range)
    }

    private static func entry(
        _ bytes: [UInt8],
        in range: Range<Int>
    ) throws(RecordDamage) -> Entry {
        var cursor = ByteCursor(bytes, in: range)
        guard let parent = cursor.short(), let flags = cursor.byte(), let length = cursor.byte(),
            let idRange = cursor.range(count: Int(length)), let sequence = cursor.varint()
        else { throw RecordDamage("truncated revision") }
        return Entry(
            id: try revisionID(bytes[idRange]),
            parent: parent == 0xFFFF ? nil : parent,
            flags: flags & ~Flag.bodyFollows,
            sequence: sequence,
            body: flags & Flag.bodyFollows == 0 ? nil : cursor.offset..<range.upperBound
        )
    }

    /// Reads the binary form of an ID.
    static func revisionID(_ bytes: ArraySlice<UInt8>) throws(RecordDamage) -> RevisionID {
        guard bytes.first != 0, let id = RevisionID(encoded: bytes.span) else {
            throw RecordDamage("invalid revision ID")
        }
        return id
    }

    private mutating func readMarks(_ cursor: inout ByteCursor) throws(RecordDamage) {
        guard cursor.remainingCount % 4 == 0 else {
            throw RecordDamage("the list of remotes is truncated")
        }
        while let remote = cursor.short(), let index = cursor.short() {
            // After the zero there are revisions that a remote rejected.
            if remote == 0 { return }
            guard index < entries.count else {
                throw RecordDamage("remote \(remote) has an invalid revision")
            }
            latest[UInt32(remote)] = index
        }
    }

    /// Applies the row's flag: remote 1 has the current revision.
    ///
    /// Its mark moves there, and with it the body that is kept; an ancestor keeps its own only for
    /// another remote.
    mutating func markCurrentAtFirstRemote() {
        latest[1] = 0
        entries[0].flags |= Flag.keepsBody
        let isConflict = entries[0].flags & Flag.conflict
        let marked = Set(latest.values)
        var next = entries[0].parent
        var stepCount = 0
        while let place = next, stepCount < entries.count {
            guard entries[place].flags & Flag.conflict == isConflict else { return }
            if !marked.contains(place) { entries[place].flags &= ~Flag.keepsBody }
            next = entries[place].parent
            stepCount += 1
        }
    }
}

extension RevisionFlags {
    /// The flags of a revision in a tree of Couchbase Lite.
    init(tree flags: UInt8) {
        self = []
        if flags & TreeRecord.Flag.tombstone != 0 { insert(.tombstone) }
        if flags & TreeRecord.Flag.hasBlobs != 0 { insert(.hasBlobs) }
        if flags & TreeRecord.Flag.keepsBody != 0 { insert(.keepsBody) }
        if flags & TreeRecord.Flag.conflict != 0 { insert(.conflict) }
        if flags & TreeRecord.Flag.closed != 0 { insert(.closed) }
    }
}

// Version 2, all numbers varints:
//   version (one byte) · entry count · each entry, the current one first:
//     flags (one byte, top bit: a body follows)
//     vector length · vector · tree ID count · each tree ID: length · ID
//     unless it is the current one: sequence · [body length · body]
//   mark count · each mark by ascending remote: remote · position
//
// The current revision's ID, sequence and body are in the document's row as well.
extension VectorHistory {
    static let encodingVersion: UInt8 = 2
    private static let bodyFollows: UInt8 = 0x80

    /// The history as bytes, without the current revision's sequence and body.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        let versionCount = entries.reduce(0) { $0 + $1.mixed.vector.versions.count }
        output.reserveCapacity(16 + 48 * entries.count + 20 * versionCount)
        output.append(Self.encodingVersion)
        output.appendCount(entries.count)
        for (position, entry) in entries.enumerated() {
            let body = position == 0 ? nil : entry.revision.body
            output.append(entry.revision.flags.rawValue | (body == nil ? 0 : Self.bodyFollows))
            let vector = entry.mixed.vector.isEmpty ? [] : entry.mixed.vector.encoded
            output.appendCount(vector.count)
            output.append(contentsOf: vector)
            output.appendCount(entry.mixed.legacy.count)
            for id in entry.mixed.legacy {
                output.appendCount(id.encodedByteCount)
                id.encode(into: &output)
            }
            guard position > 0 else { continue }
            output.appendNumber(entry.revision.sequence)
            if let body {
                output.appendCount(body.count)
                output.append(contentsOf: body)
            }
        }
        marks.encode(into: &output)
        return output
    }

    /// Restores a history; any bytes give a valid one or an error.
    init(
        decoding bytes: Span<UInt8>,
        current: HistoryRevision
    ) throws(RevisionError) {
        var reader = ByteReader(bytes)
        if bytes.count > 0, bytes[0] != Self.encodingVersion {
            throw .unknownEncoding(version: bytes[0])
        }
        do throws(ByteReader.Damage) {
            _ = try reader.readByte()
            try decode(from: &reader, current: current)
        } catch {
            throw .damagedEncoding(offset: reader.offset)
        }
    }

    private mutating func decode(
        from reader: inout ByteReader,
        current: HistoryRevision
    ) throws(ByteReader.Damage) {
        let count = try reader.readCount()
        guard count >= 1, count <= reader.remainingCount / 3 else { throw ByteReader.Damage() }
        for position in 0..<count {
            let entry = try Self.decodeEntry(from: &reader, current: position == 0 ? current : nil)
            guard position == 0 || self.position(of: entry.id) == nil else {
                throw ByteReader.Damage()
            }
            entries.append(entry)
        }
        guard entries[0].id == current.id else { throw ByteReader.Damage() }
        marks = try Array(from: &reader, of: count)
        guard reader.isAtEnd else { throw ByteReader.Damage() }
    }

    private static func decodeEntry(
        from reader: inout ByteReader,
        current: HistoryRevision?
    ) throws(ByteReader.Damage) -> Entry {
        let bits = try reader.readByte()
        let flags = RevisionFlags(rawValue: bits & ~bodyFollows)
        let mixed = try decodeMixed(from: &reader)
        guard flags.isSubset(of: .all), let id = mixed.current else { throw ByteReader.Damage() }
        if var revision = current {
            guard bits & bodyFollows == 0 else { throw ByteReader.Damage() }
            revision.flags = flags
            guard revision.id == id else { throw ByteReader.Damage() }
            return Entry(mixed, revision)
        }
        var revision = HistoryRevision(id: id, flags: flags)
        revision.sequence = try reader.readNumber()
        if bits & bodyFollows != 0 {
            revision.body = Array(try reader.readBytes(count: reader.readCount()))
        }
        return Entry(mixed, revision)
    }

    private static func decodeMixed(
        from reader: inout ByteReader
    ) throws(ByteReader.Damage) -> MixedVector {
        var mixed = MixedVector()
        let bytes = try reader.readBytes(count: reader.readCount())
        if !bytes.isEmpty {
            guard let vector = try? VersionVector(encoded: bytes.span), !vector.isEmpty else {
                throw ByteReader.Damage()
            }
            mixed.vector = vector
        }
        for _ in 0..<(try reader.readCount()) {
            let bytes = try reader.readBytes(count: reader.readCount())
            guard let id = RevisionID(encoded: bytes.span), !id.isVersion else {
                throw ByteReader.Damage()
            }
            mixed.legacy.append(id)
        }
        return mixed
    }
}

extension VectorHistory {
    /// Converts a tree when its database is upgraded: keeps the names of the current branch, and the
    /// revision that each remote has, in conflict or not.
    ///
    /// The names of closed branches stay, after those of the current one, which replaced them.
    init(upgrading tree: RevisionTree) {
        guard let current = tree.current else { return }
        let names = { (id: RevisionID) in
            MixedVector(legacy: Array(tree.names(behind: id).prefix(VersionLimits.legacyCount)))
        }
        entries = [
            Entry(
                MixedVector(legacy: Self.names(behind: current.id, in: tree)),
                Self.renewed(current)
            )
        ]
        for mark in tree.marks {
            let revision = tree.revisions[mark.position]
            let entry = Entry(names(revision.id), Self.renewed(revision))
            setMark(of: mark.remote, to: add(entry))
        }
        settle()
    }

    /// The current revision and its ancestors, then those that it replaced: a branch that is
    /// longer than what is kept loses its beginning first, but no revision that a remote has.
    private static func names(behind id: RevisionID, in tree: RevisionTree) -> [RevisionID] {
        let closed = tree.closedBranches.prefix(VersionLimits.legacyCount / 2)
        let marked = Set(tree.marks.map { tree.revisions[$0.position].id } + [id])
        let branch = tree.names(behind: id)
        var room = VersionLimits.legacyCount - closed.count - branch.count { marked.contains($0) }
        let kept = branch.filter { name in
            guard !marked.contains(name) else { return true }
            room -= 1
            return room >= 0
        }
        return Array(kept.prefix(VersionLimits.legacyCount)).followed(by: Array(closed))
    }

    private static func renewed(_ revision: HistoryRevision) -> HistoryRevision {
        let flags = revision.flags.intersection([.tombstone, .hasBlobs, .conflict])
        return HistoryRevision(
            id: revision.id,
            flags: flags,
            sequence: revision.sequence,
            body: revision.body
        )
    }
}

// Version 1, all numbers varints:
//   version (one byte) · revision count · position of the current revision
//   each revision by descending ID:
//     flags (one byte, top bit: a body follows) · distance to the parent, 0 for a root
//     unless it is the current one: ID length · ID · sequence · [body length · body]
//   mark count · each mark by ascending remote: remote · position
//
// ID, sequence and body of the current revision are in the document's row, where they are read
// without the tree; so a document with one revision takes 6 bytes here.
extension RevisionTree {
    static let encodingVersion: UInt8 = 1
    private static let bodyFollows: UInt8 = 0x80

    /// The tree as bytes, without the current revision's ID, sequence and body.
    ///
    /// Equal trees have equal bytes. An empty tree has no current revision and is not stored.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(16 + 32 * revisions.count)
        output.append(Self.encodingVersion)
        output.appendCount(revisions.count)
        let current = currentPosition ?? 0
        output.appendCount(current)
        for (position, revision) in revisions.enumerated() {
            let body = position == current ? nil : revision.body
            output.append(revision.flags.rawValue | (body == nil ? 0 : Self.bodyFollows))
            output.appendCount(revision.parent.map { $0 - position } ?? 0)
            guard position != current else { continue }
            output.appendCount(revision.id.encodedByteCount)
            revision.id.encode(into: &output)
            output.appendNumber(revision.sequence)
            if let body {
                output.appendCount(body.count)
                output.append(contentsOf: body)
            }
        }
        marks.encode(into: &output)
        return output
    }

    /// Restores a tree from `encoded()` and the current revision in the document's row.
    ///
    /// - Parameters:
    ///   - bytes: The result of `encoded()`.
    ///   - currentID: The current revision.
    ///   - currentSequence: The sequence of the current revision.
    ///   - currentBody: The body of the current revision. Pass `nil` only to read the tree: without the body, it
    ///     is lost when the revision is no longer current.
    /// - Throws: `unknownEncoding` or `damagedEncoding`; any input results in a valid tree or an error.
    public init(
        decoding bytes: Span<UInt8>,
        currentID: RevisionID,
        currentSequence: UInt64,
        currentBody: [UInt8]?
    ) throws(RevisionError) {
        var reader = ByteReader(bytes)
        let current = Revision(id: currentID, sequence: currentSequence, body: currentBody)
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
        current: Revision
    ) throws(ByteReader.Damage) {
        let count = try reader.readCount()
        let currentPosition = try reader.readCount()
        // A revision takes at least two bytes.
        guard count >= 1, currentPosition < count, count <= reader.remainingCount / 2,
            !current.id.isVersion
        else {
            throw ByteReader.Damage()
        }
        for position in 0..<count {
            let isCurrent = position == currentPosition
            let revision = try Self.decodeRevision(
                at: position,
                of: count,
                from: &reader,
                current: isCurrent ? current : nil
            )
            if let previous = revisions.last, previous.id <= revision.id {
                throw ByteReader.Damage()
            }
            revisions.append(revision)
        }
        marks = try Array(from: &reader, of: count)
        guard reader.isAtEnd, self.currentPosition == currentPosition else {
            throw ByteReader.Damage()
        }
    }

    private static func decodeRevision(
        at position: Int,
        of count: Int,
        from reader: inout ByteReader,
        current: Revision?
    ) throws(ByteReader.Damage) -> Revision {
        let bits = try reader.readByte()
        let flags = RevisionFlags(rawValue: bits & ~bodyFollows)
        let distance = try reader.readCount()
        guard flags.isSubset(of: .all), distance < count - position else {
            throw ByteReader.Damage()
        }
        let parent = distance == 0 ? nil : position + distance
        if var revision = current {
            guard bits & bodyFollows == 0 else { throw ByteReader.Damage() }
            revision.flags = flags
            revision.parent = parent
            return revision
        }
        let idBytes = try reader.readBytes(count: reader.readCount())
        // A version has no generation to count down from.
        guard let id = RevisionID(encoded: idBytes.span), !id.isVersion else {
            throw ByteReader.Damage()
        }
        var revision = Revision(id: id, parent: parent, flags: flags)
        revision.sequence = try reader.readNumber()
        if bits & bodyFollows != 0 {
            revision.body = Array(try reader.readBytes(count: reader.readCount()))
        }
        return revision
    }
}

extension [RevisionTree.RemoteMark] {
    /// Appends the marks as both schemes write them, at the end.
    func encode(into output: inout [UInt8]) {
        output.appendCount(count)
        for mark in self {
            output.appendNumber(UInt64(mark.remote.rawValue))
            output.appendCount(mark.position)
        }
    }

    /// Reads marks of `count` revisions, by ascending remote.
    init(from reader: inout ByteReader, of count: Int) throws(ByteReader.Damage) {
        self = []
        for _ in 0..<(try reader.readCount()) {
            guard
                let remote = UInt32(exactly: try reader.readNumber()).map(RemoteID.init(rawValue:))
            else { throw ByteReader.Damage() }
            let position = try reader.readCount()
            guard position < count, last.map({ $0.remote < remote }) ?? true else {
                throw ByteReader.Damage()
            }
            append(RevisionTree.RemoteMark(remote: remote, position: position))
        }
    }
}

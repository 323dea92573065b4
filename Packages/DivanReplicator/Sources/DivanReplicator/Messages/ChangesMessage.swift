import DivanJSON
import DivanRevisions

/// The body of `changes`: what the sender has, oldest first.
///
/// `[[sequence, documentID, revisionID, flags?, bodyByteCount?], …]`; an empty list or `null` says that there is
/// nothing more at present.
///
/// Source: `replication.md` §3.
enum ChangesMessage {
    struct Entry {
        var sequence: RemoteSequence
        /// The document's name as received.
        var name: String
        /// `nil` if the name is no valid document ID.
        var documentID: DocumentID? { try? DocumentID(received: name) }
        /// `nil` if the text is no revision ID of the connection's scheme.
        var revisionID: RevisionID?
        var flags: Flags = []
        var bodyByteCount = 0
    }

    struct Flags: OptionSet {
        let rawValue: Int
        static let deleted = Flags(rawValue: 1)
        static let revoked = Flags(rawValue: 2)
        static let removed = Flags(rawValue: 4)

        /// Whether the document was withdrawn, as opposed to a live revision or a tombstone.
        var saysAccessLost: Bool { rawValue > 1 && rawValue != 5 }
    }

    /// Reads a received list.
    ///
    /// - Throws: `MalformedMessage` if the body is no such list or longer than `limit`.
    static func parse(
        _ body: [UInt8],
        in dialect: RevisionDialect = RevisionDialect(.trees),
        count limit: Int
    ) throws(MalformedMessage) -> [Entry] {
        guard !body.isEmpty else { return [] }
        return try MalformedMessage.readingList(body, count: limit) { try parseEntry(&$0, dialect) }
    }

    private static func parseEntry(
        _ reader: inout JSONReader,
        _ dialect: RevisionDialect
    ) throws -> Entry {
        try reader.beginArray()
        guard try reader.nextElement() else { throw MalformedMessage() }
        let sequence = try RemoteSequence(reading: &reader)
        guard try reader.nextElement() else { throw MalformedMessage() }
        let name = try reader.readString()
        guard try reader.nextElement() else { throw MalformedMessage() }
        let text = try reader.readStringBytes()
        let revisionID = dialect.revisionID(utf8: text.span)
        var entry = Entry(sequence: sequence, name: name, revisionID: revisionID)
        if try reader.nextElement() {
            entry.flags = Flags(rawValue: try parseFlags(&reader))
            if try reader.nextElement() {
                entry.bodyByteCount = min(max(0, try reader.readInteger()), 1 << 40)
                while try reader.nextElement() { try reader.skip() }
            }
        }
        return entry
    }

    /// A bit field with several bits, or a Boolean from older peers.
    private static func parseFlags(_ reader: inout JSONReader) throws -> Int {
        guard try reader.peekKind() == .number else { return try reader.readBool() ? 1 : 0 }
        let bits = try reader.readInteger()
        guard (0...0xFFFF).contains(bits) else { throw MalformedMessage() }
        return bits
    }

    /// Writes one of our own entries.
    static func write(_ change: FeedChange, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(change.sequence)
        writer.string(change.documentID.text)
        change.revisionID.withText { writer.string(utf8: $0) }
        if change.isTombstone || change.bodyByteCount > 0 {
            writer.integer(change.isTombstone ? 1 : 0)
        }
        if change.bodyByteCount > 0 { writer.integer(change.bodyByteCount) }
        writer.endArray()
    }
}

/// The answer to `changes`: for each entry whether it is wanted, and which revisions of its document the receiver has.
///
/// Source: `replication.md` §3, "Reply to `changes`".
enum ChangesAnswer: Equatable {
    case unwanted
    case wanted(ancestors: [RevisionID])
    case refused(HTTPStatus)

    /// Reads an answer; entries missing at the end are unwanted.
    static func parse(
        _ body: [UInt8],
        in dialect: RevisionDialect = RevisionDialect(.trees),
        count: Int
    ) throws(MalformedMessage) -> [Self] {
        guard !body.isEmpty else { return [] }
        return try MalformedMessage.readingList(body, count: count) { try parseItem(&$0, dialect) }
    }

    private static func parseItem(
        _ reader: inout JSONReader,
        _ dialect: RevisionDialect
    ) throws -> Self {
        switch try reader.peekKind() {
        case .number:
            return try reader.readStatus().map { .refused($0) } ?? .unwanted
        case .array:
            var ancestors: [RevisionID] = []
            try reader.beginArray()
            while try reader.nextElement() {
                let text = try reader.readString()
                if ancestors.count < 100, let ancestor = dialect.revisionID(text) {
                    ancestors.append(ancestor)
                }
            }
            return .wanted(ancestors: ancestors)
        default:
            try reader.skip()
            return .unwanted
        }
    }

    /// Writes answers; unwanted ones at the end are omitted.
    static func write(_ answers: [Self]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        let count = answers.lastIndex { $0 != .unwanted }.map { $0 + 1 } ?? 0
        for answer in answers.prefix(count) {
            switch answer {
            case .unwanted: writer.integer(0)
            case .refused(let status): writer.integer(status.rawValue)
            case .wanted(let ancestors):
                writer.beginArray()
                for ancestor in ancestors { ancestor.withText { writer.string(utf8: $0) } }
                writer.endArray()
            }
        }
        writer.endArray()
        return writer.bytes
    }
}

extension ChangesMessage.Entry {
    /// Why an announced revision cannot be stored; `nil` if it can.
    func flaw(_ limits: ReplicatorLimits) -> SyncError? {
        if revisionID == nil {
            return .http(.badRequest, "the peer's revision ID is not valid for this database")
        }
        do {
            _ = try DocumentID(received: name)
        } catch {
            return SyncError(
                .liteCore(.badDocumentID),
                "the peer's document cannot be stored: \(error)",
                hasRemedy: true
            )
        }
        return bodyByteCount > limits.announcedByteCount ? .tooLarge(bodyByteCount, limits) : nil
    }
}

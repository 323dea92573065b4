import DivanJSON
import DivanRevisions

/// The body of `proposeChanges`: revisions that the sender wants to push, each with the revision that it assumes to be
/// the receiver's current one.
///
/// `[[documentID, revisionID, ancestorID?, bodyByteCount?], …]`.
///
/// Source: `replication.md` §5.
enum ProposalMessage {
    struct Entry {
        /// `nil` if the received name is no valid document ID.
        var documentID: DocumentID?
        var revisionID: RevisionID?
        var ancestor: RevisionID?
        var bodyByteCount = 0
    }

    /// Reads a received list.
    ///
    /// - Throws: `MalformedMessage` if the body is no such list or longer than `limit`.
    static func parse(
        _ body: [UInt8],
        in dialect: RevisionDialect = RevisionDialect(.trees),
        count limit: Int
    ) throws(MalformedMessage) -> [Entry] {
        try MalformedMessage.readingList(body, count: limit) { try parseEntry(&$0, dialect) }
    }

    private static func parseEntry(
        _ reader: inout JSONReader,
        _ dialect: RevisionDialect
    ) throws -> Entry {
        try reader.beginArray()
        guard try reader.nextElement() else { throw MalformedMessage() }
        let documentID = try? DocumentID(received: reader.readString())
        guard try reader.nextElement() else { throw MalformedMessage() }
        var entry = Entry(documentID: documentID, revisionID: try readRevisionID(&reader, dialect))
        if try reader.nextElement() {
            entry.ancestor = try readRevisionID(&reader, dialect)
            if try reader.nextElement() {
                entry.bodyByteCount = try readByteCount(&reader)
                while try reader.nextElement() { try reader.skip() }
            }
        }
        return entry
    }

    private static func readRevisionID(
        _ reader: inout JSONReader,
        _ dialect: RevisionDialect
    ) throws -> RevisionID? {
        let text = try reader.readStringBytes()
        return dialect.head(utf8: text.span)
    }

    /// Reads a size, which only warns of a large body: an invalid one is ignored.
    private static func readByteCount(_ reader: inout JSONReader) throws -> Int {
        guard try reader.peekKind() == .number else {
            try reader.skip()
            return 0
        }
        let byteCount = try reader.readDouble()
        return Int(exactly: byteCount.rounded()) ?? (byteCount > 0 ? .max : 0)
    }

    /// Writes one of our proposals.
    static func write(_ proposal: Proposal, to writer: inout JSONWriter) {
        let change = proposal.change
        writer.beginArray()
        writer.string(change.documentID.text)
        change.revisionID.withText { writer.string(utf8: $0) }
        if proposal.ancestor != nil || change.bodyByteCount > 0 {
            writer.string(proposal.ancestor?.description ?? "")
        }
        if change.bodyByteCount > 0 { writer.integer(change.bodyByteCount) }
        writer.endArray()
    }
}

/// One verdict of the answer to `proposeChanges`.
///
/// Source: `replication.md` §5, `revisions.md` §7.
struct ProposalAnswer: Equatable {
    /// `nil` means accepted, `notModified` already there, `conflict` a conflict, others refused.
    var status: HTTPStatus?
    /// The receiver's current revision, if named with a conflict.
    var currentRevision: RevisionID?

    static let accepted = ProposalAnswer(status: nil)

    /// Reads an answer; entries missing at the end are accepted.
    ///
    /// - Throws: `MalformedMessage`, also for an invalid status.
    static func parse(
        _ body: [UInt8],
        in dialect: RevisionDialect = RevisionDialect(.trees),
        count: Int
    ) throws(MalformedMessage) -> [Self] {
        var answers: [Self] = []
        if !body.isEmpty {
            answers = try MalformedMessage.readingList(body, count: count) {
                try parseVerdict(&$0, dialect)
            }
        }
        while answers.count < count { answers.append(.accepted) }
        return answers
    }

    private static func parseVerdict(
        _ reader: inout JSONReader,
        _ dialect: RevisionDialect
    ) throws -> Self {
        guard try reader.peekKind() == .object else {
            return ProposalAnswer(status: try reader.readStatus())
        }
        var answer = ProposalAnswer(status: .internalError)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "status": answer.status = try reader.readStatus()
            case "rev": answer.currentRevision = dialect.rival(try reader.readString())
            default: try reader.skip()
            }
        }
        return answer
    }

    /// Writes verdicts; accepted ones at the end are omitted, and a conflict names the current revision only if the
    /// sender asked for that.
    static func write(_ answers: [Self], namesConflicts: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        let count = answers.lastIndex { $0.status != nil }.map { $0 + 1 } ?? 0
        for answer in answers.prefix(count) {
            guard namesConflicts, let current = answer.currentRevision else {
                writer.integer(answer.status?.rawValue ?? 0)
                continue
            }
            writer.beginObject()
            writer.key("status")
            writer.integer(answer.status?.rawValue ?? 0)
            writer.key("rev")
            writer.string(current.description)
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }
}

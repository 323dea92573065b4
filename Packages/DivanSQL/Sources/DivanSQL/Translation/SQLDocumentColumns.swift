/// The columns of the tables of documents, which have a row for each document.
///
/// They are words that SQL needs no quotes for. Their names are in the schema of files, as part of indexes.
public struct SQLDocumentColumns: Hashable, Sendable {
    /// The ID, a text.
    public let id: String
    /// The sequence, the integer primary key.
    public let sequence: String
    /// The revision ID.
    public let revision: String
    /// The function that makes the text of a revision ID from its column.
    public let revisionText: String
    /// Flags, of which the lowest says whether the document is deleted.
    public let flags: String
    /// The time of the expiration, a number or NULL.
    public let expiration: String
    /// The body, which `divan_value1` reads.
    public let body: String

    /// Describes the columns.
    public init(
        id: String,
        sequence: String,
        revision: String,
        revisionText: String,
        flags: String,
        expiration: String,
        body: String
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.revisionText = revisionText
        self.flags = flags
        self.expiration = expiration
        self.body = body
    }

    /// All columns that an expression may use.
    var all: [String] { [sequence, id, revision, flags, expiration, body] }

    /// Whether the document of a row is live.
    func isLive(_ row: String = "") -> String { "\(row)\(flags) & 1 = 0" }

    /// 1 if the document of a row is deleted, 0 if it is live.
    func isDeleted(_ row: String) -> String { "\(row)\(flags) & 1" }
}

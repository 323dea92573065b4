/// Why an export, an import, a dump or a restoration failed.
///
/// Errors of the database itself are thrown as they are: `StoreError`, or `NSError` by the public API.
public struct ExchangeError: Error {
    /// What kind of failure it is.
    public enum Code: Hashable, Sendable {
        /// The input is not in the expected format, or contains an invalid document.
        case invalid
        /// A document is invalid for the database, and ``ExchangeError/cause`` says why.
        case invalidDocument
        /// The database refused a document for another reason, which is in ``ExchangeError/cause``.
        case refused
        /// A directory contains no documents.
        case notFound
        /// A file cannot be read; the number is an `errno`.
        case reading(Int32)
        /// A file cannot be written; the number is an `errno`.
        case writing(Int32)
        /// SQLite refused a statement.
        case sqlite
        /// A Zstandard file requires zstd, which is not installed.
        case noZstd
        /// The input contains no dump.
        case noDump
        /// A dump cannot continue from the previous one.
        case notContinuable
        /// The file of the database is damaged, and an incremental dump would lose documents.
        case damagedDatabase
        /// A document is damaged.
        case damagedDocument
        /// A document cannot be part of a dump.
        case undumpable
        /// The content of a blob does not match its digest.
        case damagedBlob
        /// A blob cannot be read.
        case unreadableBlob
        /// A blob has more bytes than a table can hold.
        case blobTooLarge
        /// A document has more bytes of text than an import accepts.
        case documentTooLong
        /// A document of an input has more bytes of text than an import accepts.
        case textTooLong
        /// A JSON text has no value at the path of the documents.
        case noPath
        /// Documents have more properties than a table can have columns.
        case tooManyColumns
        /// Several characters may be the separator of comma-separated values.
        case ambiguousSeparator
        /// No document has the key that was chosen for IDs.
        case noIDKey
        /// The ID of a document is in MongoDB's Extended JSON, and the input was read as JSON.
        case extendedID
        /// An object is not a document of CouchDB.
        case notCouchDocument
        /// A document contains no revision history.
        case noRevisionHistory
        /// A revision ID does not belong to a revision tree.
        case notTreeRevision
    }

    /// What kind of failure it is.
    public let code: Code
    /// What it is about: a file, a file and a line, or a collection and a document; `nil` if that is clear.
    public var place: String?
    /// What failed, in lower case and without a full stop.
    public var problem: String
    /// What to do about it; `nil` if nothing can be suggested.
    public var remedy: String?
    /// The error of the database or of JSON that led to it.
    public var cause: (any Error)?

    /// Describes a failure.
    init(
        _ code: Code,
        at place: String? = nil,
        _ problem: String,
        remedy: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.place = place
        self.problem = problem
        self.remedy = remedy
        self.cause = cause
    }

    /// A document of an input that exceeds ``ExchangeLimits/documentByteCount``.
    static func textTooLong(at place: String) -> ExchangeError {
        ExchangeError(
            .textTooLong,
            at: place,
            "a document is larger than 64 MiB, the limit of an import",
            remedy:
                "put large content into blobs; if the file is one object around many documents, "
                + "import the values at a path in it"
        )
    }

    /// The same failure, at a place.
    func at(_ place: String) -> ExchangeError {
        var error = self
        error.place = place
        return error
    }

    /// Whether the input is at fault, so that an import can skip the document and continue.
    public var isOfInput: Bool {
        switch code {
        case .invalid, .invalidDocument, .textTooLong, .noPath, .noIDKey, .extendedID,
            .notCouchDocument, .noRevisionHistory, .notTreeRevision:
            true
        default: false
        }
    }
}

extension ExchangeError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        (place.map { "\($0): " } ?? "") + problem + (remedy.map { "; \($0)" } ?? "")
    }
}

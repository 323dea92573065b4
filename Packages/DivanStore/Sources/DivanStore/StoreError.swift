internal import CDivanStore
public import DivanRevisions
internal import Glibc

/// What a store could not do, where, and how to remedy it.
///
/// Source: `behaviour.md` §2, §15, §18; the codes of the public API are derived from `code`.
public struct StoreError: Error, Equatable, Sendable {
    /// The kind of failure and its associated values.
    public enum Code: Equatable, Sendable {
        /// The store was closed, or a reader or writer was used after its block ended.
        case notOpen
        /// There is no database at this place.
        case noSuchDatabase
        /// A database already exists where a new one was to be created.
        case alreadyExists
        /// There is no such document.
        case notFound(documentID: DocumentID)
        /// The collection was never created, or was deleted.
        case noSuchCollection(CollectionPath)
        /// Another revision is current, or the received one would create a conflict that is not allowed.
        case conflict(documentID: DocumentID, current: RevisionID?)
        /// The body is larger than a row may be; both values are in bytes.
        case bodyTooLarge(byteCount: Int, limit: Int)
        /// A body made here refers to more blobs than a peer accepts in one document.
        case tooManyBlobs(documentID: DocumentID, count: Int, limit: Int)
        /// A body made here has a top-level key that is reserved or empty.
        case forbiddenKey(documentID: DocumentID, key: String)
        /// The revision or its history violates the rules of a tree.
        case badRevision(documentID: DocumentID, RevisionError)
        /// The checkpoint has changed in the meantime; `current` is the stored revision, if any.
        case checkpointMismatch(current: String?)
        /// The file was written by a later version of Divan.
        case tooNew(version: Int, supported: Int)
        /// A body was packed with a codec that neither `StoreOptions.archive` (old bodies) nor `packing` can read.
        case unknownCodec(number: UInt8)
        /// The file is damaged; says what was found.
        case corrupt(String)
        /// What is stored of a document is not what was written; says what was found.
        case damagedDocument(documentID: DocumentID, String)
        /// The file is not an SQLite database, or not one of Divan's; says what was found.
        case notADatabase(String)
        /// Another owner or process has the database open.
        case busy(Holder)
        /// A write was attempted on a store that was opened read-only.
        case readOnly
        /// The disk is full, or the quota is used up.
        case diskFull
        /// A system call failed; its `errno`.
        case io(Int32)
        /// The text is not `sha1-` and 28 characters of base64, or the blob is not stored.
        case noSuchBlob(BlobDigest)
        /// The content received does not match its digest.
        case blobMismatch(expected: BlobDigest, actual: BlobDigest)
        /// SQLite failed in another way: its extended result code and its message.
        case sqlite(Int32, String)
    }

    /// Who is using the database.
    public enum Holder: Equatable, Sendable {
        /// Another process that writes.
        case otherProcess
        /// Another owner in this process.
        case thisProcess(ownerCount: Int)
    }

    /// The failure.
    public let code: Code
    /// The database or file in question; empty for a store in memory.
    public let path: String

    /// Creates an error about the file or directory at `path`.
    public init(_ code: Code, at path: String = "") {
        self.code = code
        self.path = path
    }

    /// The error for the `errno` of a failed system call.
    static func system(_ number: Int32, at path: String) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT: StoreError(.diskFull, at: path)
        case EROFS: StoreError(.readOnly, at: path)
        default: StoreError(.io(number), at: path)
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        "\(path.isEmpty ? "store in memory" : path): \(explanation)"
    }

    /// Problem and remedy, for those who need not know where the database is.
    public var explanation: String {
        let (problem, remedy) = code.explanation
        return "\(problem); \(remedy)"
    }
}

extension StoreError.Code {
    fileprivate var explanation: (problem: String, remedy: String) {
        switch self {
        case .notOpen, .noSuchDatabase, .alreadyExists, .tooNew, .unknownCodec, .corrupt,
            .notADatabase, .busy, .readOnly:
            databaseExplanation
        case .notFound, .noSuchCollection, .conflict, .bodyTooLarge, .tooManyBlobs, .forbiddenKey,
            .badRevision, .checkpointMismatch, .damagedDocument:
            documentExplanation
        case .diskFull, .io, .noSuchBlob, .blobMismatch, .sqlite:
            mediumExplanation
        }
    }

    private var databaseExplanation: (problem: String, remedy: String) {
        switch self {
        case .notOpen:
            ("the database is closed", "open it again, and use a reader only inside its block")
        case .noSuchDatabase:
            ("there is no database here", "check the name and directory, or open it with create")
        case .alreadyExists:
            ("a database is here already", "choose another name, or delete it first")
        case .tooNew(let version, let supported):
            (
                "file format \(version), but this program reads up to \(supported)",
                "open it with a newer version of Divan"
            )
        case .unknownCodec(BodyPacking.Bundled.zstd.rawValue):
            (
                "bodies here are packed with zstd, which is missing",
                "install its library (libzstd1), or build anew where its headers (libzstd-dev) are"
            )
        case .unknownCodec(let number):
            (
                "a body is packed with codec \(number)",
                "open it with an archive and a packing that read this codec"
            )
        case .corrupt(let detail):
            (
                "the file is damaged (\(detail))",
                "fetch it from a peer (divan check --repair-from), or restore a backup"
            )
        case .notADatabase(let detail):
            ("not a Divan database (\(detail))", "check the path; nothing was changed")
        case .busy(.otherProcess):
            (
                "another process has the database open for writing",
                "close it there, or open it read-only here"
            )
        case .busy(.thisProcess(let ownerCount)):
            (
                ownerCount == 1
                    ? "the database is open in this program"
                    : "the database is open \(ownerCount) times in this program",
                ownerCount == 1 ? "close it first" : "close the others first"
            )
        default:
            (
                "the database was opened read-only, or its place cannot be written to",
                "open it for writing in a writable directory"
            )
        }
    }

    private var documentExplanation: (problem: String, remedy: String) {
        switch self {
        case .notFound(let documentID):
            ("no document \"\(documentID)\"", "save it first")
        case .noSuchCollection(let path):
            ("no collection \(path)", "create it first")
        case .conflict(let documentID, let current):
            (
                "document \"\(documentID)\" has moved on"
                    + (current.map { " to revision \($0)" } ?? ""),
                "read it again and repeat the change"
            )
        case .bodyTooLarge(let byteCount, let limit):
            ("a body of \(byteCount) bytes exceeds \(limit)", "keep large content in blobs")
        case .tooManyBlobs(let documentID, let count, let limit):
            (
                "document \"\(documentID)\" names \(count) blobs, more than \(limit)",
                "divide it; no peer would take it"
            )
        case .forbiddenKey(let documentID, ""):
            (
                "document \"\(documentID)\" has an empty key at the top level",
                "give it a name; Couchbase Lite would refuse the document"
            )
        case .forbiddenKey(let documentID, let key):
            ("document \"\(documentID)\": the key \"\(key)\" is reserved", "use another name")
        case .damagedDocument(let documentID, let detail):
            (
                "document \"\(documentID)\" is damaged on the disk (\(detail))",
                "fetch it from a peer (divan check --repair-from), or restore a backup"
            )
        case .badRevision(let documentID, let error):
            ("revision of document \"\(documentID)\" refused (\(error))", "check its sender")
        case .checkpointMismatch(let current):
            (
                "the checkpoint is at revision \(current ?? "none")",
                "read it again and repeat the save"
            )
        default:
            ("the document cannot be stored", "check its sender")
        }
    }

    private var mediumExplanation: (problem: String, remedy: String) {
        switch self {
        case .diskFull:
            ("no space left", "free some and try again; nothing was half written")
        case .io(let number) where number == EACCES || number == EPERM:
            (
                String(cString: strerror(number)) + " (errno \(number))",
                "check its owner and permissions, and those of its directories"
            )
        case .io(let number) where number == EMFILE || number == ENFILE:
            (
                String(cString: strerror(number)) + " (errno \(number))",
                "raise the limit of open files"
            )
        case .io(ESTALE):
            (
                "the file was removed or replaced while the database was open (errno \(ESTALE))",
                "close the database, and open what is there now"
            )
        case .io(let number):
            (String(cString: strerror(number)) + " (errno \(number))", "check the file system")
        case .noSuchBlob(let digest):
            ("blob \(digest) is not stored", "sync the document again to fetch it")
        case .blobMismatch(let expected, let actual):
            ("content of blob \(expected) hashes to \(actual)", "fetch it again")
        case .sqlite(let code, let message):
            ("SQLite error \(code): \(message)", "report it together with this line")
        default:
            ("the medium failed", "check the file system")
        }
    }
}

extension StoreError {
    /// The error itself if it is a `StoreError`; otherwise an error with its text.
    init(wrapping error: any Error, at path: String) {
        self = error as? StoreError ?? StoreError(.sqlite(0, String(describing: error)), at: path)
    }

    /// Whether the location cannot be written to, as opposed to the file being bad, or the system short of
    /// something.
    var isAboutPlace: Bool {
        switch code {
        case .readOnly: true
        case .io(let number): [EACCES, EPERM, EROFS].contains(number)
        case .sqlite(let code, _): code & 0xFF == SQLITE_CANTOPEN
        default: false
        }
    }

    /// Whether it is about the directory or a file in it.
    func isAbout(_ directory: String) -> Bool {
        path.utf8.elementsEqual(directory.utf8) || path.utf8.starts(with: "\(directory)/".utf8)
    }

    /// Whether what is on the disk is not what was written.
    var isCorrupt: Bool {
        if case .corrupt = code { true } else { false }
    }

    /// Whether the file is not ours, or has another key.
    var isNoDatabase: Bool {
        if case .notADatabase = code { true } else { false }
    }

    /// Whether the error concerns a single revision, so that others can still be read and stored.
    public var concernsOneDocument: Bool {
        switch code {
        case .conflict, .bodyTooLarge, .tooManyBlobs, .forbiddenKey, .badRevision, .notFound,
            .unknownCodec, .damagedDocument:
            true
        default: false
        }
    }

    /// Whether one document is damaged; something this program lacks, such as a codec, does not count.
    var isDamageOfOneDocument: Bool {
        if case .damagedDocument = code { true } else { false }
    }
}

public import DivanLog
public import DivanPlatform
public import DivanRevisions

/// An error of a store.
///
/// Source: `behaviour.md` §2, §15, §18; the codes of the public API are derived from `code`.
public struct StoreError: Error, Equatable, Sendable {
    /// The kind of failure and its associated values.
    public enum Code: Equatable, Sendable {
        /// The store was closed, or a reader or writer was used after its block ended.
        case notOpen
        /// The database does not exist.
        case noSuchDatabase
        /// The database already exists.
        case alreadyExists
        /// The document does not exist.
        case notFound(documentID: DocumentID)
        /// The collection was never created, or was deleted.
        case noSuchCollection(CollectionPath)
        /// Another revision is current, or the received one would create a conflict that is not allowed.
        case conflict(documentID: DocumentID, current: RevisionID?)
        /// The body exceeds the limit for a row; both values are in bytes.
        case bodyTooLarge(byteCount: Int, limit: Int)
        /// A local body references more blobs than peers accept in one document.
        case tooManyBlobs(documentID: DocumentID, count: Int, limit: Int)
        /// A local body has a reserved or empty top-level key.
        case forbiddenKey(documentID: DocumentID, key: String)
        /// The revision or its history is invalid.
        case badRevision(documentID: DocumentID, RevisionError)
        /// The checkpoint was changed in the meantime; `current` is the stored revision, if any.
        case checkpointMismatch(current: String?)
        /// The file was written by a later version of Divan.
        case tooNew(version: Int, supported: Int)
        /// A body is compressed with a codec that neither `StoreOptions.archive` (old bodies) nor `packing`
        /// supports.
        case unknownCodec(number: UInt8)
        /// The file is damaged; the problem.
        case corrupt(String)
        /// A document is damaged; the problem.
        case damagedDocument(documentID: DocumentID, String)
        /// The file is not an SQLite database, or not a Divan database; the problem.
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
        /// A custom storage engine could not be opened; its name and the problem.
        case engineFailed(name: String, String)
        /// A custom storage engine lacks a feature of the SQLite engine; its name and the feature, in the plural.
        case engineUnsupported(name: String, String)
        /// SQLite failed in another way: its extended result code and its message.
        case sqlite(Int32, String)
    }

    /// The owner that uses the database.
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
    public static func system(_ number: Errno, at path: String) -> StoreError {
        switch number {
        case .noSpace, .diskQuotaExceeded: StoreError(.diskFull, at: path)
        case .readOnlyFileSystem: StoreError(.readOnly, at: path)
        default: StoreError(.io(number.rawValue), at: path)
        }
    }

    /// Whether the system denies access.
    public var isDenied: Bool {
        guard case .io(let number) = code else { return false }
        return [.permissionDenied, .notPermitted].contains(Errno(number))
    }

    /// Returns what a system call returns; its failure becomes the error for a path.
    public static func wrapping<T>(
        _ call: @autoclosure () throws(SystemError) -> T,
        at path: String
    ) throws(StoreError) -> T {
        do {
            return try call()
        } catch {
            throw .system(error.errno, at: path)
        }
    }
}

extension StoreError.Code {
    /// A system call failed for this reason.
    public static func io(_ reason: Errno) -> StoreError.Code { .io(reason.rawValue) }
}

extension StoreError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        "\(path.isEmpty ? "store in memory" : path): \(explanation)"
    }

    /// Problem and remedy, without the path of the database.
    public var explanation: String {
        let (problem, remedy) = code.explanation
        return "\(problem); \(remedy)"
    }
}

extension StoreError: LogRepresentable {
    /// The description; a problem with a document counts as user data.
    public var logMessage: LogMessage {
        let (problem, remedy) = code.explanation
        let place = path.isEmpty ? "store in memory" : path
        return code.isAboutDocument
            ? "\(place): \(user: problem); \(remedy)" : "\(place): \(problem); \(remedy)"
    }
}

extension StoreError.Code {
    /// Whether the problem contains the ID of a document or one of its keys.
    fileprivate var isAboutDocument: Bool {
        switch self {
        case .notFound, .conflict, .tooManyBlobs, .forbiddenKey, .badRevision, .damagedDocument:
            true
        default: false
        }
    }

    fileprivate var explanation: (problem: String, remedy: String) {
        switch self {
        case .notOpen, .noSuchDatabase, .alreadyExists, .tooNew, .unknownCodec, .corrupt,
            .notADatabase, .busy, .readOnly:
            databaseExplanation
        case .notFound, .noSuchCollection, .conflict, .bodyTooLarge, .tooManyBlobs, .forbiddenKey,
            .badRevision, .checkpointMismatch, .damagedDocument:
            documentExplanation
        case .diskFull, .io, .noSuchBlob, .blobMismatch, .sqlite, .engineFailed,
            .engineUnsupported:
            mediumExplanation
        }
    }

    private var databaseExplanation: (problem: String, remedy: String) {
        switch self {
        case .notOpen:
            ("the database is closed", "reopen it, and use a reader only inside its block")
        case .noSuchDatabase:
            ("the database does not exist", "check the name and directory, or create it")
        case .alreadyExists:
            ("the database already exists", "choose another name, or delete it first")
        case .tooNew(let version, let supported):
            (
                "file format \(version) is newer than this program supports (up to \(supported))",
                "open it with a newer version of Divan"
            )
        case .unknownCodec(BodyPacking.Bundled.zstd.rawValue):
            (
                "document bodies are compressed with zstd, which is not installed",
                "install libzstd1, or rebuild with libzstd-dev installed"
            )
        case .unknownCodec(let number):
            (
                "a document body is compressed with unknown codec \(number)",
                "open it with that codec (DatabaseConfiguration.bodyCodecs or revisionCodecs)"
            )
        case .corrupt(let detail):
            ("the file is damaged (\(detail))", Self.repair)
        case .notADatabase(let detail):
            ("not a Divan database (\(detail))", "check the path; nothing was changed")
        case .busy(.otherProcess):
            (
                "another process has the database open for writing",
                "close it there, or open it read-only"
            )
        case .busy(.thisProcess(let ownerCount)):
            (
                ownerCount == 1
                    ? "the database is open in this process"
                    : "the database is open \(ownerCount) times in this process",
                ownerCount == 1 ? "close it first" : "close the others first"
            )
        default:
            (
                "the database was opened read-only, or its location is not writable",
                "open it for writing in a writable directory"
            )
        }
    }

    private var documentExplanation: (problem: String, remedy: String) {
        switch self {
        case .notFound(let documentID):
            ("document \"\(documentID)\" does not exist", "save it first")
        case .noSuchCollection(let path):
            ("collection \(path) does not exist", "create it first")
        case .conflict(let documentID, let current):
            (
                "document \"\(documentID)\" was changed"
                    + (current.map { " (current revision: \($0))" } ?? ""),
                "read it again, and apply your change again"
            )
        case .bodyTooLarge(let byteCount, let limit):
            (
                "the body of \(byteCount) bytes exceeds the limit of \(limit) bytes",
                "store large content in blobs"
            )
        case .tooManyBlobs(let documentID, let count, let limit):
            (
                "document \"\(documentID)\" references \(count) blobs, the limit is \(limit)",
                "split it into several documents; peers would reject it"
            )
        case .forbiddenKey(let documentID, ""):
            (
                "document \"\(documentID)\" has an empty key at the top level",
                "rename the key; Couchbase Lite rejects documents with empty keys"
            )
        case .forbiddenKey(let documentID, let key):
            ("document \"\(documentID)\": the key \"\(key)\" is reserved", "use another key")
        case .damagedDocument(let documentID, let detail):
            ("document \"\(documentID)\" is damaged (\(detail))", Self.repair)
        case .badRevision(let documentID, let error):
            ("revision of document \"\(documentID)\" rejected (\(error))", "check the sender")
        case .checkpointMismatch(let current):
            (
                "the checkpoint was changed (current revision: \(current ?? "none"))",
                "read it again, and save it again"
            )
        default:
            ("the document cannot be stored", "check the sender")
        }
    }

    private static let repair =
        "repair it from a peer ('divan check --repair-from URL'), or restore a backup"

    private var mediumExplanation: (problem: String, remedy: String) {
        switch self {
        case .diskFull:
            ("no space left on the disk", "free some space, and try again; no data is lost")
        case .io(let number) where [.permissionDenied, .notPermitted].contains(Errno(number)):
            (
                "\(Errno(number)) (errno \(number))",
                "check the owner and permissions of the file and its directories"
            )
        case .io(let number)
        where [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(Errno(number)):
            (
                "\(Errno(number)) (errno \(number))",
                "raise the limit on open files"
            )
        case .io(let number) where Errno(number) == .notDirectory:
            ("part of the path is not a directory (errno \(number))", "check the path")
        case .io(let number) where Errno(number) == .staleFileHandle:
            (
                "the file was removed or replaced while the database was open (errno \(number))",
                "close the database, and open it again"
            )
        case .io(let number):
            ("\(Errno(number)) (errno \(number))", "check the file system")
        case .noSuchBlob(let digest):
            ("blob \(digest) is missing", "sync the document again to download it")
        case .blobMismatch(let expected, let actual):
            ("blob \(expected) is damaged (its digest is \(actual))", "download it again")
        case .engineFailed(let name, let problem):
            ("storage engine \(name) cannot be opened (\(problem))", "check its settings")
        case .engineUnsupported(let name, let feature):
            (
                "storage engine \(name) does not support \(feature)",
                "use the SQLite engine, or do it within the engine"
            )
        case .sqlite(let code, let message):
            ("SQLite error \(code): \(message)", "report this message as a bug")
        default:
            ("the disk failed", "check the file system")
        }
    }
}

extension StoreError {
    /// The error itself if it is a `StoreError`; otherwise an error with its text.
    public init(wrapping error: any Error, at path: String) {
        self = error as? StoreError ?? StoreError(.sqlite(0, String(describing: error)), at: path)
    }

    /// Whether the location cannot be written to, as opposed to the file being bad, or the system short of
    /// something.
    public var isAboutPlace: Bool {
        switch code {
        case .readOnly: true
        case .io(let number):
            [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(Errno(number))
        case .sqlite(let code, _): code & 0xFF == 14  // SQLITE_CANTOPEN
        default: false
        }
    }

    /// Whether it is about the directory or a file in it.
    public func isAbout(_ directory: String) -> Bool {
        path.utf8.elementsEqual(directory.utf8) || path.utf8.starts(with: "\(directory)/".utf8)
    }

    /// Whether what is on the disk is not what was written.
    public var isCorrupt: Bool {
        if case .corrupt = code { true } else { false }
    }

    /// Whether the file is not ours, or has another key.
    public var isNoDatabase: Bool {
        if case .notADatabase = code { true } else { false }
    }

    /// Whether the error concerns a single revision, so that other revisions can still be read and stored.
    public var concernsOneDocument: Bool {
        switch code {
        case .conflict, .bodyTooLarge, .tooManyBlobs, .forbiddenKey, .badRevision, .notFound,
            .unknownCodec, .damagedDocument:
            true
        default: false
        }
    }

    /// Whether one document is damaged; something this program lacks, such as a codec, does not count.
    public var isDamageOfOneDocument: Bool {
        if case .damagedDocument = code { true } else { false }
    }
}

extension StoreError {
    /// Whether the file is not what was written to it, as opposed to inaccessible.
    public var isDamage: Bool {
        switch code {
        case .corrupt, .damagedDocument, .notADatabase: true
        case .sqlite: !isStop
        default: false
        }
    }

    /// The problem, without place and remedy.
    public var problem: String {
        switch code {
        case .corrupt(let detail), .notADatabase(let detail), .sqlite(_, let detail): detail
        default: description
        }
    }
}

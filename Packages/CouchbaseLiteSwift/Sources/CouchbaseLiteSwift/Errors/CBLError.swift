/// The error domain and the codes that every throwing call of this module uses.
///
/// It is only a namespace. Errors are thrown as `NSError` with the domain ``domain``, `NSPOSIXErrorDomain` for errors
/// of the operating system (`errors.md` §2), or `NSURLErrorDomain` if a blob's file is missing. Compare codes with
/// `(error as NSError).code == CBLError.notFound`. The description says what failed and what to do, and the cause is
/// under `NSUnderlyingErrorKey`.
public struct CBLError: Sendable {
    private init() {}

    /// The error domain of all codes below.
    public static let domain = "CouchbaseLite"

    /// An assertion inside the library failed.
    public static let assertionFailed = 1
    /// The requested operation is not implemented.
    public static let unimplemented = 2
    /// The database uses an unsupported encryption.
    public static let unsupportedEncryption = 3
    /// A revision ID is malformed.
    public static let badRevisionID = 4
    /// A revision's body is damaged, or contains a reserved key.
    public static let corruptRevisionData = 5
    /// The database or collection is closed or deleted.
    public static let notOpen = 6
    /// The document, blob or file does not exist.
    public static let notFound = 7
    /// The document's current revision is not the expected one.
    public static let conflict = 8
    /// An argument is invalid.
    public static let invalidParameter = 9
    /// Any unexpected error; see `NSUnderlyingErrorKey`.
    public static let unexpectedError = 10
    /// The database file cannot be opened.
    public static let cantOpenFile = 11
    /// Reading or writing a file failed.
    public static let ioError = 12
    /// Out of memory.
    public static let memoryError = 13
    /// The database cannot be written to.
    public static let notWriteable = 14
    /// Stored data is damaged.
    public static let corruptData = 15
    /// The database is open in another process or object.
    public static let busy = 16
    /// The call needs a transaction.
    public static let notInTransaction = 17
    /// The call is not possible inside a transaction.
    public static let transactionNotClosed = 18
    /// The operation is not supported by this object.
    public static let unsupported = 19
    /// The file is not a database, or the encryption key is wrong or missing.
    public static let unreadableDatabase = 20
    /// The storage format is not supported.
    public static let wrongFormat = 21
    /// A key, a certificate or a cipher failed.
    public static let crypto = 22
    /// A query is malformed.
    public static let invalidQuery = 23
    /// A required index does not exist.
    public static let missingIndex = 24
    /// A query parameter is missing or of the wrong type.
    public static let invalidQueryParam = 25
    /// The peer reported an error without a code of its own.
    public static let remoteError = 26
    /// The database was written by a version that is too old.
    public static let databaseTooOld = 27
    /// The database was written by a version that is too new.
    public static let databaseTooNew = 28
    /// A document ID violates the rules: 1 to 240 bytes, no leading `_`, no control characters.
    public static let badDocID = 29
    /// The database cannot be upgraded to the current version.
    public static let cantUpgradeDatabase = 30

    /// The text is not JSON, or its root has the wrong type.
    public static let invalidJSON = 17_001
    /// A document does not match the type it is decoded into.
    public static let decodingError = 18_001
    /// A value cannot be encoded into a document.
    public static let encodingError = 18_002
}

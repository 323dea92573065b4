public import Foundation

/// The error that every call of this module throws.
///
/// Match it by its code, or read its parts:
///
/// ```swift
/// do {
///     try notes.save(note, ifRevision: note.revision)
/// } catch DivanError.conflict {
///     // somebody else changed the note
/// } catch let error as DivanError {
///     print(error.code, error)  // tooLarge collection shop.notes: document "1" …; …
/// }
/// ```
///
/// Two errors are equal if they have the same code, so that tests can expect one: `#expect(throws: DivanError.notFound)`.
///
/// Printing it shows one sentence: the place, the problem and the remedy. Closures that you pass to a call, such as the
/// body of `Database.write(_:)`, can throw errors of other types, which are rethrown unchanged.
public struct DivanError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// Where it happened, such as `collection shop.notes` or `document 1`; may be empty.
    public let place: String
    /// What is wrong, without a full stop.
    public let problem: String
    /// What to do about it; `nil` if nothing general can be said.
    public let remedy: String?
    /// The error that caused this one, for logs.
    public let underlying: (any Error)?
    /// Whether the same call can succeed later without another change.
    ///
    /// For ``Code/conflict``, read the document again first.
    public let canRetry: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - place: Where it happened; empty if the problem says so.
    ///   - problem: What is wrong.
    ///   - remedy: What to do about it.
    ///   - underlying: The cause.
    ///   - canRetry: Whether to try again; `nil` means as usual for the code.
    public init(
        _ code: Code,
        place: String = "",
        problem: String,
        remedy: String? = nil,
        underlying: (any Error)? = nil,
        canRetry: Bool? = nil
    ) {
        self.code = code
        self.place = place
        self.problem = problem
        self.remedy = remedy
        self.underlying = underlying
        self.canRetry = canRetry ?? code.usuallyPasses
    }

    /// The same error, in a part of something else.
    func placed(in whole: String) -> DivanError {
        let isWhole = place.isEmpty || whole.hasPrefix("\(place) ")
        return DivanError(
            code,
            place: isWhole ? whole : "\(whole), \(place)",
            problem: problem,
            remedy: remedy,
            underlying: underlying,
            canRetry: canRetry
        )
    }

    /// The kinds of failure; the raw values are stable.
    public enum Code: Int, CaseIterable, Sendable {
        /// The document, database, blob or file does not exist.
        case notFound = 1
        /// Something with this name already exists.
        case alreadyExists = 2
        /// The document was changed since it was read.
        case conflict = 3
        /// The database is closed, or the collection was deleted.
        case notOpen = 4
        /// The database or port is in use elsewhere.
        case busy = 5
        /// The call is not possible inside a transaction.
        case insideTransaction = 6
        /// The database was opened read-only.
        case readOnly = 7
        /// An argument is invalid.
        case invalidArgument = 8
        /// A document, blob or message exceeds a limit.
        case tooLarge = 9
        /// A value cannot be stored in a document.
        case encodingFailed = 10
        /// A document or row does not match the type, or a text is not JSON.
        case decodingFailed = 11
        /// A query is malformed, or a value in it is.
        case invalidQuery = 12
        /// A query requires an index that does not exist.
        case missingIndex = 13
        /// Stored data is damaged.
        case corrupt = 14
        /// The file is not a database of this kind.
        case notADatabase = 15
        /// The encryption key is wrong or missing, or the file is not a database at all.
        case wrongKey = 16
        /// The database was written by a version that is too old or too new.
        case unsupportedVersion = 17
        /// The operation is not supported by this object or platform.
        case unsupported = 18
        /// The disk is full.
        case diskFull = 19
        /// Out of memory.
        case outOfMemory = 20
        /// The system denies access to a file.
        case permissionDenied = 21
        /// Reading or writing a file failed.
        case ioFailed = 22
        /// A certificate, a private key or a cipher cannot be used.
        case invalidIdentity = 23
        /// Credentials are missing or wrong.
        case unauthorized = 24
        /// The user may not do this.
        case forbidden = 25
        /// The peer cannot be reached, or the connection was lost.
        case unreachable = 26
        /// The peer's certificate is not trusted.
        case untrusted = 27
        /// There was no answer in time.
        case timeout = 28
        /// The task or the query was cancelled.
        case cancelled = 29
        /// The peer reported an error, or violated the protocol.
        case peerFailed = 30
        /// Anything else; see ``DivanError/underlying``.
        case unexpected = 31

        var usuallyPasses: Bool {
            switch self {
            case .busy, .conflict, .timeout, .unreachable, .outOfMemory: true
            default: false
            }
        }
    }
}

extension DivanError: CustomStringConvertible, LocalizedError, CustomNSError {
    /// One sentence: place, problem, remedy.
    public var description: String {
        let place = place.isEmpty ? "" : "\(place): "
        return place + problem + (remedy.map { "; \($0)" } ?? "")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
    /// The same as ``problem``.
    public var failureReason: String? { problem }
    /// The same as ``remedy``.
    public var recoverySuggestion: String? { remedy }

    /// `Divan`.
    public static var errorDomain: String { "Divan" }
    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }
    /// The texts and the cause, for code that handles Foundation's errors.
    public var errorUserInfo: [String: Any] {
        var values: [String: Any] = [
            NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: problem,
        ]
        values[NSLocalizedRecoverySuggestionErrorKey] = remedy
        values[NSUnderlyingErrorKey] = underlying
        return values
    }
}

extension DivanError: Equatable {
    /// Whether both errors have the same code, whatever their texts.
    public static func == (left: DivanError, right: DivanError) -> Bool { left.code == right.code }

    /// Whether an error has the code of `pattern`; for `catch DivanError.notFound`.
    public static func ~= (pattern: DivanError, error: any Error) -> Bool {
        if let error = error as? DivanError { return error == pattern }
        return pattern.code == .cancelled && error is CancellationError
    }

    private init(of code: Code) { self.init(code, problem: code.meaning) }
}

// An error of each kind: patterns for `catch DivanError.notFound`, and errors to throw.
extension DivanError {
    /// The document, database, blob or file does not exist.
    public static var notFound: DivanError { DivanError(of: .notFound) }

    /// Something with this name already exists.
    public static var alreadyExists: DivanError { DivanError(of: .alreadyExists) }

    /// The document was changed since it was read.
    public static var conflict: DivanError { DivanError(of: .conflict) }

    /// The database is closed, or the collection was deleted.
    public static var notOpen: DivanError { DivanError(of: .notOpen) }

    /// The database or port is in use elsewhere.
    public static var busy: DivanError { DivanError(of: .busy) }

    /// The call is not possible inside a transaction.
    public static var insideTransaction: DivanError { DivanError(of: .insideTransaction) }

    /// The database was opened read-only.
    public static var readOnly: DivanError { DivanError(of: .readOnly) }

    /// An argument is invalid.
    public static var invalidArgument: DivanError { DivanError(of: .invalidArgument) }

    /// A document, blob or message exceeds a limit.
    public static var tooLarge: DivanError { DivanError(of: .tooLarge) }

    /// A value cannot be stored in a document.
    public static var encodingFailed: DivanError { DivanError(of: .encodingFailed) }

    /// A document or row does not match the type, or a text is not JSON.
    public static var decodingFailed: DivanError { DivanError(of: .decodingFailed) }

    /// A query is malformed, or a value in it is.
    public static var invalidQuery: DivanError { DivanError(of: .invalidQuery) }

    /// A query requires an index that does not exist.
    public static var missingIndex: DivanError { DivanError(of: .missingIndex) }

    /// Stored data is damaged.
    public static var corrupt: DivanError { DivanError(of: .corrupt) }

    /// The file is not a database of this kind.
    public static var notADatabase: DivanError { DivanError(of: .notADatabase) }

    /// The encryption key is wrong or missing, or the file is not a database at all.
    public static var wrongKey: DivanError { DivanError(of: .wrongKey) }

    /// The database was written by a version that is too old or too new.
    public static var unsupportedVersion: DivanError { DivanError(of: .unsupportedVersion) }

    /// The operation is not supported by this object or platform.
    public static var unsupported: DivanError { DivanError(of: .unsupported) }

    /// The disk is full.
    public static var diskFull: DivanError { DivanError(of: .diskFull) }

    /// Out of memory.
    public static var outOfMemory: DivanError { DivanError(of: .outOfMemory) }

    /// The system denies access to a file.
    public static var permissionDenied: DivanError { DivanError(of: .permissionDenied) }

    /// Reading or writing a file failed.
    public static var ioFailed: DivanError { DivanError(of: .ioFailed) }

    /// A certificate, a private key or a cipher cannot be used.
    public static var invalidIdentity: DivanError { DivanError(of: .invalidIdentity) }

    /// Credentials are missing or wrong.
    public static var unauthorized: DivanError { DivanError(of: .unauthorized) }

    /// The user may not do this.
    public static var forbidden: DivanError { DivanError(of: .forbidden) }

    /// The peer cannot be reached, or the connection was lost.
    public static var unreachable: DivanError { DivanError(of: .unreachable) }

    /// The peer's certificate is not trusted.
    public static var untrusted: DivanError { DivanError(of: .untrusted) }

    /// There was no answer in time.
    public static var timeout: DivanError { DivanError(of: .timeout) }

    /// The task or the query was cancelled.
    public static var cancelled: DivanError { DivanError(of: .cancelled) }

    /// The peer reported an error, or violated the protocol.
    public static var peerFailed: DivanError { DivanError(of: .peerFailed) }

    /// Anything else; see ``DivanError/underlying``.
    public static var unexpected: DivanError { DivanError(of: .unexpected) }
}

extension DivanError.Code {
    /// What it means, for an error that says nothing else.
    fileprivate var meaning: String {
        switch self {
        case .notFound: "the document, database, blob or file does not exist"
        case .alreadyExists: "something with this name already exists"
        case .conflict: "the document was changed since it was read"
        case .notOpen: "the database is closed, or the collection was deleted"
        case .busy: "the database or port is in use elsewhere"
        case .insideTransaction: "the call is not possible inside a transaction"
        case .readOnly: "the database was opened read-only"
        case .invalidArgument: "an argument is invalid"
        case .tooLarge: "a document, blob or message exceeds a limit"
        case .encodingFailed: "a value cannot be stored in a document"
        case .decodingFailed: "a document or row does not match the type, or a text is not JSON"
        case .invalidQuery: "a query is malformed, or a value in it is"
        case .missingIndex: "a query requires an index that does not exist"
        case .corrupt: "stored data is damaged"
        case .notADatabase: "the file is not a database of this kind"
        case .wrongKey:
            "the encryption key is wrong or missing, or the file is not a database at all"
        case .unsupportedVersion: "the database was written by a version that is too old or too new"
        case .unsupported: "the operation is not supported by this object or platform"
        case .diskFull: "the disk is full"
        case .outOfMemory: "out of memory"
        case .permissionDenied: "the system denies access to a file"
        case .ioFailed: "reading or writing a file failed"
        case .invalidIdentity: "a certificate, a private key or a cipher cannot be used"
        case .unauthorized: "credentials are missing or wrong"
        case .forbidden: "the user may not do this"
        case .unreachable: "the peer cannot be reached, or the connection was lost"
        case .untrusted: "the peer's certificate is not trusted"
        case .timeout: "there was no answer in time"
        case .cancelled: "the task or the query was cancelled"
        case .peerFailed: "the peer reported an error, or violated the protocol"
        case .unexpected: "an unexpected error"
        }
    }
}

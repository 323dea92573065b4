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

extension DivanError.Code {
    /// Whether an error has this code; for `catch DivanError.notFound`.
    public static func ~= (code: DivanError.Code, error: any Error) -> Bool {
        if let error = error as? DivanError { return error.code == code }
        return code == .cancelled && error is CancellationError
    }
}

// Patterns: `catch DivanError.notFound`.
extension DivanError {
    /// The document, database, blob or file does not exist.
    public static var notFound: Code { .notFound }

    /// Something with this name already exists.
    public static var alreadyExists: Code { .alreadyExists }

    /// The document was changed since it was read.
    public static var conflict: Code { .conflict }

    /// The database is closed, or the collection was deleted.
    public static var notOpen: Code { .notOpen }

    /// The database or port is in use elsewhere.
    public static var busy: Code { .busy }

    /// The call is not possible inside a transaction.
    public static var insideTransaction: Code { .insideTransaction }

    /// The database was opened read-only.
    public static var readOnly: Code { .readOnly }

    /// An argument is invalid.
    public static var invalidArgument: Code { .invalidArgument }

    /// A document, blob or message exceeds a limit.
    public static var tooLarge: Code { .tooLarge }

    /// A value cannot be stored in a document.
    public static var encodingFailed: Code { .encodingFailed }

    /// A document or row does not match the type, or a text is not JSON.
    public static var decodingFailed: Code { .decodingFailed }

    /// A query is malformed, or a value in it is.
    public static var invalidQuery: Code { .invalidQuery }

    /// A query requires an index that does not exist.
    public static var missingIndex: Code { .missingIndex }

    /// Stored data is damaged.
    public static var corrupt: Code { .corrupt }

    /// The file is not a database of this kind.
    public static var notADatabase: Code { .notADatabase }

    /// The encryption key is wrong or missing, or the file is not a database at all.
    public static var wrongKey: Code { .wrongKey }

    /// The database was written by a version that is too old or too new.
    public static var unsupportedVersion: Code { .unsupportedVersion }

    /// The operation is not supported by this object or platform.
    public static var unsupported: Code { .unsupported }

    /// The disk is full.
    public static var diskFull: Code { .diskFull }

    /// Out of memory.
    public static var outOfMemory: Code { .outOfMemory }

    /// The system denies access to a file.
    public static var permissionDenied: Code { .permissionDenied }

    /// Reading or writing a file failed.
    public static var ioFailed: Code { .ioFailed }

    /// A certificate, a private key or a cipher cannot be used.
    public static var invalidIdentity: Code { .invalidIdentity }

    /// Credentials are missing or wrong.
    public static var unauthorized: Code { .unauthorized }

    /// The user may not do this.
    public static var forbidden: Code { .forbidden }

    /// The peer cannot be reached, or the connection was lost.
    public static var unreachable: Code { .unreachable }

    /// The peer's certificate is not trusted.
    public static var untrusted: Code { .untrusted }

    /// There was no answer in time.
    public static var timeout: Code { .timeout }

    /// The task or the query was cancelled.
    public static var cancelled: Code { .cancelled }

    /// The peer reported an error, or violated the protocol.
    public static var peerFailed: Code { .peerFailed }

    /// Anything else; see ``DivanError/underlying``.
    public static var unexpected: Code { .unexpected }
}

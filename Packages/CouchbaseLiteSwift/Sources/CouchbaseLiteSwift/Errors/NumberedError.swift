import DivanAuth
import DivanDatabase
import DivanDiscovery
import DivanJSON
import DivanMesh
import DivanMeshPeer
import DivanQuery
import DivanReplicator
import DivanRevisions
import DivanSeal
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// An entry of the public error table: a domain and a code in it.
struct ErrorNumber: Equatable, Sendable {
    /// `CBLError.domain`, `NSPOSIXErrorDomain`, or a domain of a lower layer (`errors.md` §2).
    let domain: String
    /// The code in that domain.
    let code: Int

    /// A code of `CBLError`.
    static func divan(_ code: Int) -> ErrorNumber {
        ErrorNumber(domain: CBLError.domain, code: code)
    }

    /// A code of the network family, 5001 to 9999 in the table.
    static func network(_ code: Int) -> ErrorNumber { family(CBLError.networkBase, code) }

    /// An HTTP status or WebSocket close code, 10001 to 14999 in the table.
    static func webSocket(_ code: Int) -> ErrorNumber { family(CBLError.httpBase, code) }

    /// A number added to the base of its family; one outside every family counts as unexpected.
    private static func family(_ base: Int, _ code: Int) -> ErrorNumber {
        .divan((1..<5_000).contains(code) ? base + code : CBLError.unexpectedError)
    }

    /// An error number of the operating system.
    static func posix(_ number: Int32) -> ErrorNumber {
        ErrorNumber(domain: NSPOSIXErrorDomain, code: Int(number))
    }
}

/// An error of a lower layer that has an entry in the public table.
///
/// All conformances are in this module, so that no lower layer knows the table.
protocol NumberedError: Error, CustomStringConvertible {
    /// The domain and code that callers of the public API see.
    var number: ErrorNumber { get }
    /// What they read; by default the description.
    var sentence: String { get }
}

extension NumberedError {
    var sentence: String { description }
}

/// Returns `error` as an entry of the public table; `nil` if it has none.
///
/// The types are listed. A cast to `any NumberedError` would find only the conformances that were linked, and a linker
/// leaves out an object file of a static library if nothing refers to it.
private func numbered(_ error: any Error) -> (any NumberedError)? {
    switch error {
    case let error as StoreError: error
    case let error as QueryError: error
    case let error as QueryStop: error
    case let error as DocumentIDError: error
    case let error as JSONError: error
    case let error as SealError: error
    case let error as Unstorable: error
    case let error as ForeignBlob: error
    case let error as ForeignBundle: error
    case let error as ForeignDatabaseError: error
    case let error as ReplicationFailure: error
    case let error as PlugInFailure: error
    case let error as SyncError: error
    case let error as WebSocketURLError: error
    case let error as CredentialError: error
    case let error as TransportError: error
    case let error as TLSError: error
    case let error as AuthenticationError: error
    case let error as MeshError: error
    case let error as MeshPeerError: error
    case let error as DiscoveryError: error
    default: nil
    }
}

extension NSError {
    /// Creates the public form of `error`: the documented code, its message, and `error` as the cause.
    ///
    /// An `NSError` keeps its domain, code and values; an error without a number becomes `CBLError.unexpectedError`.
    convenience init(from error: any Error) {
        if type(of: error) is NSError.Type {
            let known = error as NSError
            self.init(domain: known.domain, code: known.code, userInfo: known.userInfo)
            return
        }
        if let known = numbered(error) {
            self.init(known.number, known.sentence, cause: error)
        } else {
            self.init(CBLError.unexpectedError, String(describing: error), cause: error)
        }
    }

    /// Creates the `unexpectedError` that the official SDK throws for an error that ends a batch or prevents a model
    /// from being written: with the description of `cause`, and `cause` as its cause.
    convenience init(wrapping cause: any Error, reason: String) {
        let values: [String: Any] = [
            // Nothing more, as in the official SDK: the thrown error may be shown to people.
            NSLocalizedDescriptionKey: cause.localizedDescription,
            NSLocalizedFailureReasonErrorKey: reason,
            NSUnderlyingErrorKey: cause,
        ]
        self.init(domain: CBLError.domain, code: CBLError.unexpectedError, userInfo: values)
    }

    /// Creates an error of `CBLError.domain` with a readable message that says what happened and what to do.
    convenience init(_ code: Int, _ sentence: String, cause: (any Error)? = nil) {
        self.init(.divan(code), sentence, cause: cause)
    }

    /// Creates an error of any domain, with such a message.
    convenience init(_ number: ErrorNumber, _ sentence: String, cause: (any Error)? = nil) {
        // Foundation prints the reason here; on Apple's systems it prints the description.
        var values: [String: Any] = [
            NSLocalizedDescriptionKey: sentence, NSLocalizedFailureReasonErrorKey: sentence,
        ]
        if let cause { values[NSUnderlyingErrorKey] = cause }
        self.init(domain: number.domain, code: number.code, userInfo: values)
    }
}

/// Runs `body` and converts its errors to their public form.
func translatingErrors<Output>(_ body: () throws -> Output) throws -> Output {
    do {
        return try body()
    } catch {
        throw NSError(from: error)
    }
}

/// Stops the program because it called the API in a way that the documentation forbids.
///
/// Only for programming errors, never for input from a peer, a file or a user.
func stopForMisuse(_ sentence: String) -> Never {
    preconditionFailure(sentence)
}

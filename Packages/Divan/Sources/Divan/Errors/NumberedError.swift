import Foundation

/// A number of the public table: a domain and a code in it.
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

    /// A number behind the base of its family; one that none of them has is unexpected.
    private static func family(_ base: Int, _ code: Int) -> ErrorNumber {
        .divan((1..<5_000).contains(code) ? base + code : CBLError.unexpectedError)
    }

    /// A number of the operating system.
    static func posix(_ number: Int32) -> ErrorNumber {
        ErrorNumber(domain: NSPOSIXErrorDomain, code: Int(number))
    }
}

/// An error of a lower floor that has a place in the public table.
///
/// Conformances stand beside each other in this module, so that no floor below knows the table.
protocol NumberedError: Error {
    /// The domain and code that callers of the public API see.
    var number: ErrorNumber { get }
}

extension NSError {
    /// Creates the public form of `error`: documented number, its sentence, itself as the cause.
    ///
    /// An `NSError` keeps its domain, code and values; an error that nobody numbered becomes
    /// `CBLError.unexpectedError`.
    convenience init(from error: any Error) {
        if type(of: error) is NSError.Type {
            let known = error as NSError
            self.init(domain: known.domain, code: known.code, userInfo: known.userInfo)
            return
        }
        let number = (error as? any NumberedError)?.number ?? .divan(CBLError.unexpectedError)
        self.init(number, String(describing: error), cause: error)
    }

    /// Creates the `unexpectedError` that the official SDK makes of what ends a batch, or keeps a model
    /// from being written: it has the description of `cause`, and that itself as the cause.
    convenience init(wrapping cause: any Error, reason: String) {
        let values: [String: Any] = [
            // Nothing more, as in the official SDK: what was thrown may be shown to people.
            NSLocalizedDescriptionKey: cause.localizedDescription,
            NSLocalizedFailureReasonErrorKey: reason,
            NSUnderlyingErrorKey: cause,
        ]
        self.init(domain: CBLError.domain, code: CBLError.unexpectedError, userInfo: values)
    }

    /// Creates an error of `CBLError.domain` with a sentence that says, for people, what happened
    /// and what to do.
    convenience init(_ code: Int, _ sentence: String, cause: (any Error)? = nil) {
        self.init(.divan(code), sentence, cause: cause)
    }

    /// Creates an error of any domain, with such a sentence.
    convenience init(_ number: ErrorNumber, _ sentence: String, cause: (any Error)? = nil) {
        // Foundation prints the reason here, where it prints the description on Apple's systems.
        var values: [String: Any] = [
            NSLocalizedDescriptionKey: sentence, NSLocalizedFailureReasonErrorKey: sentence,
        ]
        if let cause { values[NSUnderlyingErrorKey] = cause }
        self.init(domain: number.domain, code: number.code, userInfo: values)
    }
}

/// Runs `body` and gives its errors their public form.
func translatingErrors<Output>(_ body: () throws -> Output) throws -> Output {
    do {
        return try body()
    } catch {
        throw NSError(from: error)
    }
}

/// Stops the program because it called the API in a way that its documentation rules out.
///
/// For mistakes in code only, never for what a peer, a file or a user may bring.
func stopForMisuse(_ sentence: String) -> Never {
    preconditionFailure(sentence)
}

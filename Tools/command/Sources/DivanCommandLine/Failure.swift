/// Why a command failed: the exit code for a script, the sentence and the hint for a person.
package struct Failure: Error, Equatable {
    /// The kinds of failure, each with its exit code.
    package enum Kind: Int32, CaseIterable, Sendable {
        /// An error without a code of its own.
        case failed = 1
        /// The command line is wrong.
        case usage = 2
        /// The database, collection, document or file does not exist.
        case notFound = 3
        /// A document, an ID, a query or a file's content is not valid.
        case invalid = 4
        /// The database cannot be used: in use, damaged, newer, not writable, disk full; or the requested
        /// output cannot be written.
        case database = 5
        /// The peer cannot be reached, or the connection was lost.
        case unreachable = 6
        /// The peer refused: password, certificate, rights.
        case refused = 7
        /// It completed, but some documents were left out.
        case partly = 8
        /// The two compared databases differ.
        case different = 9
        /// What was to be created exists already, or somebody else changed it first.
        case conflict = 10
        /// Stopped by Ctrl-C or SIGTERM, after finishing everything that had begun.
        case interrupted = 130

        /// The description of the code on the help page.
        package var meaning: String {
            switch self {
            case .failed: "failed"
            case .usage: "wrong usage"
            case .notFound: "no such database, collection, document or file"
            case .invalid: "invalid JSON, document, ID or query"
            case .database:
                "database in use, damaged, too new or not writable; disk full; output lost"
            case .unreachable: "peer not reachable, or connection lost"
            case .refused: "peer refused: password, certificate or rights"
            case .partly: "finished, but some documents were left out"
            case .different: "the databases differ"
            case .conflict: "it exists already, or somebody else changed it first"
            case .interrupted: "stopped by Ctrl-C or SIGTERM before it was done"
            }
        }
    }

    /// The kind, which decides the exit code.
    package var kind: Kind
    /// One line: what failed and why, in lower case and without a full stop.
    package var sentence: String
    /// One line: what to do about it.
    package var hint: String?
    /// The code of an API error, which `divan help` explains.
    package var code: Int?

    /// Describes why a command failed.
    package init(kind: Kind, sentence: String, hint: String? = nil, code: Int? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.hint = hint
        self.code = code
    }

    /// A usage error.
    package static func usage(_ sentence: String, hint: String? = nil) -> Failure {
        Failure(kind: .usage, sentence: sentence, hint: hint)
    }

    /// A verb that was stopped by a `cause`; `rest` describes what is left.
    package static func stopped(by cause: String, leaving rest: String? = nil) -> Failure {
        let end = rest.map { "; \($0)" } ?? ""
        return Failure(kind: .interrupted, sentence: "stopped by \(cause)\(end)")
    }

    /// The exit codes with their meanings.
    package static var exitCodeRows: [(left: String, right: String)] {
        [(left: "0", right: "done")]
            + Kind.allCases.map { (left: "\($0.rawValue)", right: $0.meaning) }
    }

    /// The exit codes as on the general help page.
    package static var exitCodes: String { Columns.aligned(exitCodeRows) }
}

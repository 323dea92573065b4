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
        /// It completed, but some documents were skipped.
        case partly = 8
        /// The two compared databases differ.
        case different = 9
        /// It exists already, or was changed in the meantime.
        case conflict = 10
        /// Stopped by Ctrl-C or SIGTERM, after finishing everything that had begun.
        case interrupted = 130

        /// The description of the code on the help page.
        package var meaning: String {
            switch self {
            case .failed: "failed"
            case .usage: "invalid command line"
            case .notFound: "database, collection, document or file not found"
            case .invalid: "invalid JSON, document, ID or query"
            case .database:
                "database in use, damaged, too new or not writable; output not written"
            case .unreachable: "peer unreachable, or connection lost"
            case .refused: "access denied by the peer, or untrusted certificate"
            case .partly: "completed, but some documents were skipped"
            case .different: "the databases differ"
            case .conflict: "already exists, or was changed in the meantime"
            case .interrupted: "stopped by Ctrl-C or SIGTERM"
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

    /// The sentence and the hint in one line, for a place that has one.
    package var line: String { sentence + (hint.map { "; \($0)" } ?? "") }

    /// Describes why a command failed.
    package init(kind: Kind, sentence: String, hint: String? = nil, code: Int? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.hint = hint
        self.code = code
    }

    /// Describes an error by one line of a library, "problem; remedy": the remedy becomes the hint.
    package init(kind: Kind, text: String) {
        let separator = text.problemSeparator
        self.init(
            kind: kind,
            sentence: String(text[..<(separator?.lowerBound ?? text.endIndex)]),
            hint: separator.map { String(text[$0.upperBound...]) }
        )
    }

    /// The same failure, whose sentence begins with the place that it is about, such as a file and a line.
    package func at(_ place: String) -> Failure {
        var failure = self
        failure.sentence = "\(place): \(sentence)"
        return failure
    }

    /// A usage error.
    package static func usage(_ sentence: String, hint: String? = nil) -> Failure {
        Failure(kind: .usage, sentence: sentence, hint: hint)
    }

    /// A command that was stopped by a `cause`; `rest` describes what is left.
    package static func stopped(by cause: String, leaving rest: String? = nil) -> Failure {
        let end = rest.map { "; \($0)" } ?? ""
        return Failure(kind: .interrupted, sentence: "stopped by \(cause)\(end)")
    }

    /// The exit codes with their meanings.
    package static var exitCodeRows: [(left: String, right: String)] {
        [(left: "0", right: "success")]
            + Kind.allCases.map { (left: "\($0.rawValue)", right: $0.meaning) }
    }

    /// The exit codes as on the general help page.
    package static var exitCodes: String { Columns.aligned(exitCodeRows) }
}

extension String {
    /// The first "; " outside of quotation marks and parentheses.
    fileprivate var problemSeparator: Range<Index>? {
        var (depth, isQuoted) = (0, false)
        for index in unicodeScalars.indices {
            switch unicodeScalars[index] {
            case "\"": isQuoted.toggle()
            case "(", "“": depth += 1
            case ")", "”": depth -= 1
            case ";" where depth <= 0 && !isQuoted:
                guard unicodeScalars[index...].starts(with: "; ".unicodeScalars) else { continue }
                return index..<unicodeScalars.index(index, offsetBy: 2)
            default: break
            }
        }
        return nil
    }
}

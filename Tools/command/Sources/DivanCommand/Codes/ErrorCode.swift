import DivanCommandLine

/// The meaning of an error's code, and the remedy.
///
/// The codes are those of the error domain `CouchbaseLite`; `Docs/errors.md` is the same table.
struct ErrorCode: Equatable, Sendable {
    /// The code, or the first of several that are explained together.
    let number: Int
    /// The last of them.
    let last: Int
    /// The constant of `CBLError`; empty if the official API has none.
    let name: String
    /// The description.
    let meaning: String
    /// The remedy.
    let remedy: String

    init(_ number: Int, _ name: String, _ meaning: String, _ remedy: String) {
        self.init(number...number, name, meaning, remedy)
    }

    init(
        _ numbers: ClosedRange<Int>,
        _ name: String,
        _ meaning: String,
        _ remedy: String
    ) {
        (number, last) = (numbers.lowerBound, numbers.upperBound)
        self.name = name
        self.meaning = meaning
        self.remedy = remedy
    }

    /// Explains a code; `nil` for a number that is not an error code.
    static func find(_ number: Int) -> ErrorCode? {
        all.first { ($0.number...$0.last).contains(number) }
    }

    /// Every code that a package can return; ranges follow the codes that they contain.
    static let all = local + network + http + closing + values + ranges

    /// The code as it is listed.
    var title: String { number == last ? "\(number)" : "\(number)–\(last)" }

    /// What `divan help CODE` prints.
    var page: String {
        let constant = name.isEmpty ? "" : " (CBLError.\(name))"
        return """
            Error \(title)\(constant)

            \(Columns.wrapped("\(meaning)."))

            \(Columns.wrapped("What to do: \(remedy)."))
            """
    }

    /// What `divan help NUMBER` prints; `nil` for an unknown number.
    ///
    /// Small numbers are exit codes, too; an HTTP status or a close code has a code that is 10,000 higher.
    static func page(about number: Int) -> String? {
        let kind = Int32(exactly: number).flatMap { Failure.Kind(rawValue: $0) }
        let exit = kind.map { Columns.wrapped("Exit code \(number): \($0.meaning).") }
        if let other = named(number) {
            return
                "\(other.source) \(number) has the code \(10_000 + number).\n\n\(other.code.page)"
        }
        let found = find(number)
        // The description of a range says less than the exit code.
        let code = exit != nil && found?.number != found?.last ? nil : found?.page
        let pages = [exit, code].compactMap(\.self)
        return pages.isEmpty ? nil : pages.joined(separator: "\n\n")
    }

    /// The code of an HTTP status, or of a close code that has its own explanation.
    private static func named(_ number: Int) -> (source: String, code: ErrorCode)? {
        guard let code = find(10_000 &+ number) else { return nil }
        if (400...599).contains(number) { return ("HTTP status", code) }
        let isClosing = (1000...4999).contains(number) && code.number == code.last
        return isClosing ? ("Close code", code) : nil
    }

    /// What `divan help codes` prints.
    static var table: String {
        "Error codes; 'divan help CODE' shows what to do:\n"
            + Columns.aligned(all.map { (left: $0.title, right: $0.meaning) })
    }
}

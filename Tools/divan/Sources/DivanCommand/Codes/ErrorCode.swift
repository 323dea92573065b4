import DivanCommandLine

/// An error's code: what it means, and what to do.
///
/// The codes are those of the error domain `CouchbaseLite`; `Docs/errors.md` is the same table.
struct ErrorCode: Equatable, Sendable {
    /// The code, or the first of several that are explained together.
    let number: Int
    /// The last of them.
    let last: Int
    /// The constant of `CBLError`; empty where the official API has none.
    let name: String
    /// What happened.
    let meaning: String
    /// What to do.
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

    /// Explains a code; `nil` for a number that no error has.
    static func find(_ number: Int) -> ErrorCode? {
        all.first { ($0.number...$0.last).contains(number) }
    }

    /// Every code that a package can give; ranges stand behind the codes that they hold.
    static let all = local + network + http + closing + values + ranges

    /// The code as the page writes it.
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

    /// What `divan help codes` prints.
    static var table: String {
        "Codes of errors; divan help CODE tells what to do:\n"
            + Columns.aligned(all.map { (left: $0.title, right: $0.meaning) })
    }
}

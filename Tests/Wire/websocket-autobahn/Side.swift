import DivanJSON

/// The suite's findings about one end: the index that it wrote.
struct Side {
    /// An index that is not in the suite's format.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// One case and its verdict.
    struct Case {
        let number: String
        let behavior: String
        let closing: String

        /// The first part of the number: 9 for 9.1.2.
        var group: Int { number.split(separator: ".").first.flatMap { Int($0) } ?? 0 }
    }

    /// Which of our ends was examined.
    let name: String
    /// Every case, by number.
    let cases: [Case]

    /// Parses an index.
    init(name: String, index: [UInt8]) throws {
        self.name = name
        guard let agents = try JSON(parsing: index).object, let agent = agents.first,
            let cases = agent.value.object, !cases.isEmpty
        else { throw Failure(description: "the index of the \(name) names no cases") }
        self.cases = try cases.map { number, value in
            guard let behavior = value["behavior"]?.string,
                let closing = value["behaviorClose"]?.string
            else { throw Failure(description: "case \(number) of the \(name) has no verdict") }
            return Case(number: number, behavior: behavior, closing: closing)
        }
        .sorted { Self.order($0.number).lexicographicallyPrecedes(Self.order($1.number)) }
    }

    private static func order(_ number: String) -> [Int] {
        number.split(separator: ".").map { Int($0) ?? 0 }
    }

    /// The cases with this verdict.
    func numbers(_ behavior: String) -> [String] {
        cases.filter { $0.behavior == behavior }.map(\.number)
    }

    /// The cases that examine compression, which Divan never negotiates.
    var compressionCases: [Case] { cases.filter { $0.group == 12 || $0.group == 13 } }

    /// The counts in one line.
    var summary: String {
        let verdicts = ["OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED"]
        let counts = verdicts.map { "\(numbers($0).count) \($0)" }
        return "\(cases.count) cases, " + counts.joined(separator: ", ")
    }

    /// What is wrong: one sentence each.
    var complaints: [String] {
        var complaints: [String] = []
        let countingCases = cases.filter { $0.group != 12 && $0.group != 13 }
        if countingCases.count != Self.caseCount {
            complaints.append("\(name): \(countingCases.count) cases, not \(Self.caseCount)")
        }
        for found in countingCases {
            if !Self.isAccepted(found) {
                complaints.append("\(name): case \(found.number) is \(found.behavior)")
            }
            if !["OK", "INFORMATIONAL"].contains(found.closing) {
                complaints.append("\(name): case \(found.number) closes \(found.closing)")
            }
        }
        for found in compressionCases where found.behavior != "UNIMPLEMENTED" {
            complaints.append("\(name): case \(found.number) negotiates compression")
        }
        if compressionCases.isEmpty { complaints.append("\(name): no compression case was run") }
        return complaints
    }

    /// Cases of the suite without the two compression groups.
    private static let caseCount = 301

    private static func isAccepted(_ found: Case) -> Bool {
        switch found.behavior {
        case "OK": true
        case "NON-STRICT": lenient.contains(found.number)
        case "INFORMATIONAL": ["7.1.6", "7.13.1", "7.13.2"].contains(found.number)
        default: false
        }
    }

    /// Failing early instead of answering what came before, in the same piece, is permitted.
    private static let lenient = [
        "3.2", "3.3", "3.4", "4.1.3", "4.1.4", "4.1.5", "4.2.3", "4.2.4", "4.2.5", "5.15",
    ]
}

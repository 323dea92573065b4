/// Every bound of a package is in the table of its README, with its default, and the table has no other.
public struct LimitsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every member of a `…Limits` type that its package's README does not name, or gives another
    /// default, and every row of a table of bounds that names a member that does not exist.
    public func violations() throws -> [Violation] {
        var types: [(package: String, type: LimitsType)] = []
        for package in try tree.packages() {
            for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift") {
                let text = try tree.text(file)
                guard text.contains("Limits") else { continue }
                types += LimitsType.all(in: text, of: file).map { (package, $0) }
            }
        }
        var violations: [Violation] = []
        for package in try tree.packages() {
            let path = "Packages/\(package)/README.md"
            guard let text = try? tree.text(path) else { continue }
            let page = LimitsPage(path, text)
            let own = types.filter { $0.package == package }.map(\.type)
            for type in own { violations += compare(type, with: page) }
            violations += stale(page, own: own, all: types.map(\.type))
        }
        return violations
    }

    private func compare(_ type: LimitsType, with page: LimitsPage) -> [Violation] {
        type.members.compactMap { member in
            let place = "\(type.file):\(member.line)"
            guard let row = page.row(of: member.name, in: type.name) else {
                return Violation(
                    place: place,
                    problem: "the bound \(member.name) is missing in the README",
                    remedy: "add it with its default, its reason and what happens then"
                )
            }
            guard let amount = member.amount, let told = row.amount(of: member.name),
                amount != told
            else { return nil }
            return Violation(
                place: "\(page.path):\(row.line)",
                problem: "the bound \(member.name) is \(amount), and not \(told)",
                remedy: "write the default that the code has"
            )
        }
    }

    private func stale(_ page: LimitsPage, own: [LimitsType], all: [LimitsType]) -> [Violation] {
        var seen: Set<String> = []
        var violations: [Violation] = []
        for row in page.rows {
            for name in row.names {
                let types = name.type.map { type in all.filter { $0.name == type } } ?? own
                // A constant of another type, and what is not one of our bounds at all.
                let isBound =
                    name.type?.hasSuffix("Limits")
                    ?? (page.isAllOfOneType && name.member.first?.isLowercase == true)
                let isThere = types.contains { $0.members.contains { $0.name == name.member } }
                if isBound, !isThere {
                    violations.append(
                        Violation(
                            place: "\(page.path):\(row.line)",
                            problem: "there is no bound \(name.member)",
                            remedy: "take the row away, or name the bound that took its place"
                        )
                    )
                } else if isBound, !seen.insert("\(name.type ?? "").\(name.member)").inserted {
                    violations.append(
                        Violation(
                            place: "\(page.path):\(row.line)",
                            problem: "the bound \(name.member) stands twice",
                            remedy: "leave one row"
                        )
                    )
                }
            }
        }
        return violations
    }
}

/// A type whose members are bounds.
struct LimitsType {
    struct Member {
        var line: Int
        var name: String
        /// The default, if it is a number that can be parsed.
        var amount: Amount?
    }

    let file: String
    let name: String
    private(set) var members: [Member] = []

    /// What declares bounds: a type, or an extension of one.
    private static let kinds: Set<Substring> = ["struct", "enum", "extension"]

    /// The types of a source whose names end in `Limits`, and the extensions of such types.
    static func all(in text: String, of file: String) -> [LimitsType] {
        let lines = text.lines
        return lines.indices.compactMap { start in
            let words = lines[start].split(separator: " ")
            guard lines[start].hasSuffix("{"),
                let kind = words.firstIndex(where: { kinds.contains($0) }),
                words[..<kind].allSatisfy({ $0 == "public" || $0 == "package" }),
                let name = words.dropFirst(kind + 1).first?.prefix(while: \.isLetter),
                name.hasSuffix("Limits")
            else { return nil }
            let indentation = String(lines[start].prefix { $0 == " " })
            let end = lines[start...].firstIndex { $0 == indentation + "}" } ?? lines.endIndex
            var type = LimitsType(file: file, name: String(name))
            type.read(lines[start..<end], indentation + "    ")
            return type
        }
    }

    private init(file: String, name: String) {
        self.file = file
        self.name = name
    }

    private mutating func read(_ lines: ArraySlice<Substring>, _ indentation: String) {
        for (index, line) in zip(lines.indices, lines) where line.hasPrefix(indentation) {
            let code = line.dropFirst(indentation.count).code
            if code.first == " " {
                readParameter(code)
            } else {
                readMember(code, index + 1)
            }
        }
    }

    private mutating func readMember(_ code: Substring, _ line: Int) {
        let words = code.split(separator: " ")
        // A value of the type itself is a set of bounds, not a bound.
        guard !code.contains("{"), !code.contains("\(name)()"),
            let place = words.firstIndex(where: { $0 == "var" || $0 == "let" }),
            words[..<place].allSatisfy({ $0 == "public" || $0 == "static" }),
            let name = words.dropFirst(place + 1).first?.prefix(while: { $0 != ":" })
        else { return }
        members.append(Member(line: line, name: String(name), amount: Amount(default: code)))
    }

    /// A parameter of the initialiser may give the default of a member.
    private mutating func readParameter(_ code: Substring) {
        let name = code.drop { $0 == " " }.prefix { $0 != ":" }
        guard let amount = Amount(default: code),
            let place = members.firstIndex(where: { $0.name == name && $0.amount == nil })
        else { return }
        members[place].amount = amount
    }
}

/// The tables of bounds of a README.
struct LimitsPage {
    struct Row {
        var line: Int
        /// The names in the first cell, with the type if it is given before a dot.
        var names: [(type: String?, member: String)]
        var value: Substring

        /// The row's default for a member; several are in the order of the names.
        func amount(of member: String) -> Amount? {
            guard let place = names.firstIndex(where: { $0.member == member }) else { return nil }
            let values = value.split(separator: ", ")
            return values.indices.contains(place) ? Amount(told: values[place]) : nil
        }
    }

    let path: String
    /// Whether the page says that all its bounds are members of one type.
    let isAllOfOneType: Bool
    let rows: [Row]

    init(_ path: String, _ text: String) {
        self.path = path
        isAllOfOneType = text.contains("\nAll in `")
        var rows: [Row] = []
        var isTable = false
        for (index, line) in text.lines.enumerated() {
            let cells = line.split(separator: "|")
            guard line.hasPrefix("|"), cells.count > 1 else {
                isTable = false
                continue
            }
            if cells[0] == " bound " { isTable = true }
            guard isTable else { continue }
            let names = cells[0].backticked.map { span in
                let parts = span.split(separator: ".").suffix(2).map(String.init)
                return (parts.count == 2 ? parts[0] : nil, parts.last ?? "")
            }
            rows.append(Row(line: index + 1, names: Self.inherited(names), value: cells[1]))
        }
        self.rows = rows
    }

    /// In `ALimits.b`, `c` and in `ALimits`: `b`, `c` all are members of the first type.
    private static func inherited(
        _ names: [(type: String?, member: String)]
    ) -> [(type: String?, member: String)] {
        guard let first = names.first else { return [] }
        let isList = first.type == nil && first.member.hasSuffix("Limits")
        let type = isList ? first.member : first.type
        return (isList ? Array(names.dropFirst()) : names).map { ($0.type ?? type, $0.member) }
    }

    func row(of member: String, in type: String) -> Row? {
        rows.first { row in
            row.names.contains { $0.member == member && ($0.type ?? type) == type }
        }
    }
}

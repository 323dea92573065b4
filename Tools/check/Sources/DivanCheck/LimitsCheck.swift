import Foundation

/// Every limit of a package is in the table of its README with its default, and the table has no other.
struct LimitsCheck {
    let tree: SourceTree

    private struct Member {
        var type: Substring
        var name: Substring
        var place: String
        /// How a page may write the default; empty if that is no number.
        var forms: [String]
    }

    /// A name in the first cell of a table of limits, with its value.
    private struct Row {
        var place: String
        var type: Substring?
        var name: Substring
        var value: Substring?
    }

    func violations() throws -> [Violation] {
        let files = try tree.sources().filter { try tree.text($0).contains("Limits") }
        let members = try files.flatMap(members)
        return try tree.packages().flatMap { package -> [Violation] in
            let path = "Packages/\(package)/README.md"
            guard let page = try? tree.text(path) else { return [] }
            let rows = rows(page, path)
            let own = members.filter { $0.place.hasPrefix("Packages/\(package)/") }
            return try own.compactMap { try missing($0, in: rows) }
                + stale(rows, own, members, isAllOfOneType: page.contains("\nAll in `"))
        }
    }

    private func missing(_ member: Member, in rows: [Row]) throws -> Violation? {
        let row = rows.first { $0.name == member.name && ($0.type ?? member.type) == member.type }
        guard let row else {
            let remedy = "add it with its default, its reason and what happens then"
            return Violation(member.place, "the README omits the limit \(member.name)", remedy)
        }
        // Pages write thousands with a comma or a space.
        let thousands = try Pattern(#"(?<=\d)[, \u202f](?=\d{3})"#)
        guard let value = row.value.map({ thousands.replacing(in: String($0)) }),
            value.first?.isNumber == true,
            // A power is no number that can be compared.
            !value.contains(where: { $0.isNumber && !$0.isASCII }), !member.forms.isEmpty,
            !member.forms.contains(where: { Self.begins(value, with: $0) })
        else { return nil }
        let problem = "the limit \(member.name) is not \(value)"
        return Violation(row.place, problem, "write \(member.forms.joined(separator: " or "))")
    }

    private func stale(
        _ rows: [Row],
        _ own: [Member],
        _ all: [Member],
        isAllOfOneType: Bool
    ) -> [Violation] {
        var seen: Set<String> = []
        return rows.compactMap { row in
            // A constant of another type, and what is not one of our limits at all.
            let isLimit =
                row.type?.hasSuffix("Limits")
                ?? (isAllOfOneType && row.name.first?.isLowercase == true)
            guard isLimit else { return nil }
            let types = row.type.map { type in all.filter { $0.type == type } } ?? own
            if !types.contains(where: { $0.name == row.name }) {
                return Violation(row.place, "there is no limit \(row.name)", "remove or rename it")
            }
            let isNew = seen.insert("\(row.type ?? "").\(row.name)").inserted
            return isNew ? nil : Violation(row.place, "\(row.name) is listed twice", "leave one")
        }
    }

    // MARK: Sources

    /// The members of types whose names end in `Limits`, and of extensions of such types.
    private func members(_ file: String) throws -> [Member] {
        let text = try tree.text(file)
        let types = try Pattern(
            #"^( *)(?:public |package )?(?:struct|enum|extension) (\w*Limits)\b.*\{$[\s\S]*?^\1\}$"#
        )
        return try types.matches(in: text).flatMap { type -> [Member] in
            let body = String(type.groups[0])
            let declarations = try Pattern(
                "^\(type.groups[1])    (?:public |package )?(?:static )?(?:var|let) (\\w+)"
                    + "(?:: [^={\\n]*)?(?: = ([^{\\n]*?))? *(?://.*)?$"
            )
            // A parameter of the initialiser may give the default of a member.
            let parameters = try Pattern("^ +(\\w+): [^={\\n]+ = (.*?),?$").matches(in: body)
            return declarations.matches(in: body).compactMap { match in
                let name = match.groups[1]
                let parameter = parameters.first { $0.groups[1] == name }?.groups[2]
                let value = match.groups[2].isEmpty ? parameter ?? "" : match.groups[2]
                // A value of the type itself is a set of limits, not a limit.
                if value == "\(type.groups[2])()" { return nil }
                let place = "\(file):\(type.line + match.line - 1)"
                let forms = Self.forms(value)
                return Member(type: type.groups[2], name: name, place: place, forms: forms)
            }
        }
    }

    /// How a page may write `60`, `1_000`, `16 << 10`, `5 * 60` or `.seconds(15)`.
    private static func forms(_ code: Substring) -> [String] {
        let number = /(?:.*\.(\w+)\()?([0-9_]+)(?: (<<|\*) ([0-9_]+))?\)?/
        guard let match = code.wholeMatch(of: number),
            var count = Int(match.2.replacing("_", with: ""))
        else { return [] }
        if let second = match.4.flatMap({ Int($0.replacing("_", with: "")) }) {
            count = match.3 == "*" ? count * second : count << second
        }
        let times = ["milliseconds": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000]
        let units = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)]
        let sizes = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        func whole(_ count: Int, _ units: [(String, Int)]) -> [String] {
            units.filter { count.isMultiple(of: $0.1) }.map { "\(count / $1) \($0)" }
        }
        if let unit = match.1 { return whole(count * (times[String(unit)] ?? 1), units) }
        // A number may count seconds, or milliseconds.
        let seconds = count < 1 << 32 ? whole(count * 1_000, units) : []
        return ["\(count)"] + whole(count, units + sizes) + seconds
    }

    private static func begins(_ value: String, with form: String) -> Bool {
        guard value.hasPrefix(form) else { return false }
        return value.dropFirst(form.count).prefixMatch(of: /\ ?(?:[\d.]|[KMG]iB)/) == nil
    }

    // MARK: Pages

    private func rows(_ page: String, _ path: String) -> [Row] {
        var rows: [Row] = []
        var isTable = false
        for (index, line) in page.lines.enumerated() {
            let cells = line.cells
            isTable = cells.count > 1 && (isTable || cells[0] == "limit")
            guard isTable else { continue }
            var names = cells[0].backticked.map { $0.split(separator: ".").suffix(2) }
            // In `ALimits.b`, `c` and in `ALimits`: `b`, `c` all are members of the first type.
            var type = names.first.flatMap { $0.count == 2 ? $0.first : nil }
            if type == nil, let list = names.first?.first, list.hasSuffix("Limits") {
                (type, names) = (list, Array(names.dropFirst()))
            }
            let values = cells[1].split(separator: ", ")
            for (place, name) in names.enumerated() {
                rows.append(
                    Row(
                        place: "\(path):\(index + 1)",
                        type: name.count == 2 ? name.first : type,
                        name: name.last ?? "",
                        value: values.indices.contains(place) ? values[place] : nil
                    )
                )
            }
        }
        return rows
    }
}

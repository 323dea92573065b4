/// A state machine as its source defines it: an enum, and a table of its transitions.
struct StateMachine {
    let name: String
    let page: String
    private let file: String
    private let summary: String
    private let states: [Substring]
    private var transitions: [Transition] = []

    private struct Transition {
        var from: Substring
        var event: Substring
        var condition: String
        /// `nil` if the event is accepted and changes nothing.
        var next: Substring?
        var effects: [Substring]
    }

    /// What cannot be read as a table, and where.
    struct Unreadable: Error {
        var line: Int
        var problem: String
    }

    /// Parses the one machine of a file.
    init(reading text: String, from file: String) throws(Unreadable) {
        self.file = file
        let lines = text.lines
        guard let head = lines.firstIndex(where: { $0.contains("Drawn in `Docs/states/") }),
            let page = lines[head].backticked.first(where: { $0.hasPrefix("Docs/states/") }),
            let start = lines[head...].firstIndex(where: { !$0.hasPrefix("///") }),
            let name = lines[start].firstMatch(of: /enum (\w+)/)?.1
        else { throw Unreadable(line: 1, problem: "no enum after the comment that names a page") }
        self.page = String(page)
        self.name = String(name)
        let comment = lines[..<start].lastIndex { !$0.hasPrefix("///") }.map { $0 + 1 } ?? 0
        summary = lines[comment..<start].prefix { $0 != "///" }.map { $0.dropFirst(4) }
            .joined(separator: " ")
        states = lines[start...].prefix { $0 != "}" }.compactMap { line in
            line.firstMatch(of: /^    (?:indirect )?case (\w+)/)?.1
        }
        guard
            let first = lines[start...].firstIndex(where: { $0.contains("switch (self, event) {") })
        else { throw Unreadable(line: start + 1, problem: "\(name) has no switch (self, event)") }
        let indent = lines[first].prefix { $0 == " " }
        guard let last = lines[first...].firstIndex(where: { $0 == indent + "}" })
        else { throw Unreadable(line: first + 1, problem: "the switch does not end") }
        try readClauses(lines[(first + 1)..<last], indent + "case ", indent + "default:")
    }

    private mutating func readClauses(
        _ lines: ArraySlice<Substring>,
        _ head: String,
        _ end: String
    ) throws(Unreadable) {
        var clause = ""
        var start = lines.startIndex
        for (index, line) in zip(lines.indices, lines) {
            if line.hasPrefix(head) || line.hasPrefix(end) {
                try read(clause: clause, at: start)
                (clause, start) = ("", index)
            }
            if line.hasPrefix(end) { return }
            clause += " " + line.code.split(separator: " ").joined(separator: " ")
        }
        try read(clause: clause, at: start)
    }

    /// Parses `case (.state, .event) where condition: …`, also for several pairs.
    private mutating func read(clause: String, at line: Int) throws(Unreadable) {
        let clause = clause.drop { $0 == " " }
        guard !clause.isEmpty else { return }
        let unreadable = Unreadable(line: line + 1, problem: "a transition that cannot be read")
        let parts = clause.dropFirst("case ".count).split(outside: ":", count: 1)
        guard parts.count == 2 else { throw unreadable }
        guard let (next, effects) = Self.outcome(parts[1].drop { $0 == " " }) else {
            throw unreadable
        }
        for pattern in parts[0].split(outside: ",") {
            let pieces = pattern.split(separator: " where ", maxSplits: 1)
            let pair = pieces[0].drop { $0 == " " }
            guard pair.hasPrefix("("), pair.hasSuffix(")") else { throw unreadable }
            let sides = pair.dropFirst().dropLast().split(outside: ",")
            guard sides.count == 2, let event = Self.caseName(sides[1]) else { throw unreadable }
            var conditions = sides[0].matches(of: /(\w+): (true|false)/).map {
                $0.2 == "true" ? "\($0.1)" : "not \($0.1)"
            }
            if pieces.count == 2 { conditions.append(String(pieces[1])) }
            let condition = conditions.joined(separator: ", ")
            let isAny = sides[0] == "_"
            guard let from = isAny ? "_" : Self.caseName(sides[0]),
                isAny || states.contains(from), next.map({ states.contains($0) }) ?? true
            else { throw unreadable }
            // Pairs matched by an earlier clause are excluded.
            let sources = isAny ? states.filter { !takes(event, in: $0) } : [from]
            for state in sources {
                transitions.append(
                    Transition(
                        from: state,
                        event: event,
                        condition: condition,
                        next: next ?? state,
                        effects: effects
                    )
                )
                if clause.contains(": return ") {
                    transitions[transitions.count - 1].next = nil
                }
            }
        }
    }

    private func takes(_ event: Substring, in state: Substring) -> Bool {
        transitions.contains { $0.from == state && $0.event == event && $0.condition.isEmpty }
    }

    /// The next state and the effects; no state if it stays.
    private static func outcome(_ body: Substring) -> (next: Substring?, effects: [Substring])? {
        if body == "return false" || body == "return []" { return (nil, []) }
        if body.hasPrefix("self = ") {
            return caseName(body.dropFirst("self = ".count)).map { ($0, []) }
        }
        var body = body
        var next: Substring?
        if body.hasPrefix("(self, effects) = (") {
            let sides = body.dropFirst("(self, effects) = (".count).dropLast().split(outside: ",")
            guard sides.count == 2, body.hasSuffix(")"), let name = caseName(sides[0]) else {
                return nil
            }
            (next, body) = (name, sides[1].drop { $0 == " " })
        } else if body.hasPrefix("effects = ") {
            body = body.dropFirst("effects = ".count)
        } else {
            return nil
        }
        guard body.hasPrefix("["), body.hasSuffix("]") else { return nil }
        let effects = body.dropFirst().dropLast().split(outside: ",").map(caseName)
        guard effects.allSatisfy({ $0 != nil }) else { return nil }
        return (next, effects.compactMap(\.self))
    }

    /// `name` of `.name` or `.name(…)`, and of nothing else.
    private static func caseName(_ text: Substring) -> Substring? {
        text.wholeMatch(of: /\ ?\.(\w+)(\(.*\))?/)?.1
    }
}

// MARK: - The page

extension StateMachine {
    /// The page: what the machine is, and its diagram.
    var drawn: String {
        """
        # \(title)

        \(summary)

        Drawn by `make states` from `\(name)` in `\(file)`. Events that are not shown change nothing.

        ```mermaid
        stateDiagram-v2
        \(lines.map { "    \($0)\n" }.joined())```

        """
    }

    /// The page's name as words.
    private var title: String {
        let words = page.split(separator: "/").last?.dropLast(3).replacing("-", with: " ") ?? ""
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private var lines: [String] {
        var lines = ["[*] --> \(states.first ?? "")"]
        for state in states {
            let taken = transitions.filter { $0.from == state && $0.next != nil }
            for transition in taken {
                var label = "\(transition.event)"
                if !transition.condition.isEmpty { label += " [\(transition.condition)]" }
                if !transition.effects.isEmpty {
                    label += " / " + transition.effects.joined(separator: ", ")
                }
                lines.append("\(state) --> \(transition.next ?? state): \(label)")
            }
            if taken.isEmpty { lines.append("\(state) --> [*]") }
        }
        return lines
    }
}

extension Substring {
    /// The pieces between separators that are not inside brackets.
    fileprivate func split(outside separator: Character, count: Int = .max) -> [Substring] {
        var pieces: [Substring] = []
        var (start, depth) = (startIndex, 0)
        for index in indices {
            switch self[index] {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case separator where depth == 0 && pieces.count < count:
                pieces.append(self[start..<index])
                start = self.index(after: index)
            default: break
            }
        }
        let last = self[start...]
        return last.isEmpty && pieces.isEmpty ? [] : pieces + [last]
    }
}

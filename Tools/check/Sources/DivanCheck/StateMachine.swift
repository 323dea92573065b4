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
    init(reading text: String, from file: String) throws {
        let head = try Pattern(
            #"((?:^///.*\n)*)^/// .*Drawn in `(Docs/states/[^`]+)`.*\n(?:^///.*\n)*.*enum (\w+)"#
        )
        guard let found = head.matches(in: text).first else {
            throw Unreadable(line: 1, problem: "no enum after the comment that names a page")
        }
        (self.file, page, name) = (file, String(found.groups[2]), String(found.groups[3]))
        summary = String(found.groups[1]).lines.prefix { $0 != "///" }.map { $0.dropFirst(4) }
            .joined(separator: " ")
        let body = String(text[found.range.upperBound...])
        states = body.lines.prefix { $0 != "}" }.compactMap { line in
            line.firstMatch(of: /^    (?:indirect )?case (\w+)/)?.1
        }
        let start = found.line + found.groups[0].utf8.count { $0 == 0x0A }
        let table = try Pattern(#"^( *).*switch \(self, event\) \{$([\s\S]*?)^\1\}$"#)
        guard let table = table.matches(in: body).first else {
            throw Unreadable(line: start, problem: "\(name) has no switch (self, event)")
        }
        let indent = table.groups[1]
        let clauses = try Pattern("^\(indent)case [\\s\\S]*?(?=^\(indent)(?:case |default:)|\\z)")
        for clause in clauses.matches(in: String(table.groups[2])) {
            let code = String(clause.groups[0]).lines.map(\.code).joined(separator: " ")
                .split(separator: " ").joined(separator: " ")
            try read(clause: code, at: start + table.line + clause.line - 2)
        }
    }

    private static let arguments = #"(?:\((?:[^()]|\([^()]*\))*\))?"#
    private static let state = #"\.(\w+)"# + arguments
    private static let list = #"\[((?:\.\w+"# + arguments + #"(?:, )?)*)\]"#
    private static let pair =
        #"\((_|\.\w+"# + arguments + "), " + state + #"\)(?: where ((?:[^:,()]|\([^()]*\))+))?"#
    private static let outcome =
        "(return (?:false|\\[\\]))|self = \(state)|\\(self, effects\\) = \\(\(state), \(list)\\)"
        + "|effects = \(list)"

    /// Parses `case (.state, .event) where condition: …`, also for several pairs.
    private mutating func read(clause: String, at line: Int) throws {
        let unreadable = Unreadable(line: line, problem: "a transition that cannot be read")
        let whole = try Pattern("^case (\(Self.pair)(?:, \(Self.pair))*): (?:\(Self.outcome))$")
        guard let groups = whole.matches(in: clause).first?.groups else { throw unreadable }
        // After the groups of two pairs.
        let isRefused = !groups[8].isEmpty
        let next = groups[9...10].first { !$0.isEmpty }
        let effects = try Pattern(Self.state).matches(in: groups[11...12].joined())
            .map { $0.groups[1] }
        for pair in try Pattern(Self.pair).matches(in: String(groups[1])) {
            let (pattern, event) = (pair.groups[1], pair.groups[2])
            let flags = pattern.matches(of: /(\w+): (true|false)/).map {
                $0.2 == "true" ? "\($0.1)" : "not \($0.1)"
            }
            let condition = (flags + [String(pair.groups[3])]).filter { !$0.isEmpty }
                .joined(separator: ", ")
            let from = pattern.dropFirst().prefix { $0.isLetter || $0.isNumber }
            guard pattern == "_" || states.contains(from), next.map(states.contains) ?? true
            else { throw unreadable }
            // Pairs matched by an earlier clause are excluded.
            let taken = transitions.filter { $0.event == event && $0.condition.isEmpty }
                .map(\.from)
            for state in states
            where pattern == "_" ? !taken.contains(state) : state == from {
                transitions.append(
                    Transition(
                        from: state,
                        event: event,
                        condition: condition,
                        next: isRefused ? nil : next ?? state,
                        effects: effects
                    )
                )
            }
        }
    }
}

// MARK: - The page

extension StateMachine {
    /// The page: what the machine is, and its diagram.
    var drawn: String {
        """
        # \(title)

        \(summary) Drawn by `make generate` from `\(name)` in `\(file)`. Events that are not shown \
        change nothing.

        ```mermaid
        stateDiagram-v2
        \(lines.map { "    \($0)\n" }.joined())```

        """
    }

    /// The page's name as words, with the spelling of proper names.
    private var title: String {
        let words = page.split(separator: "/").last?.dropLast(3).split(separator: "-") ?? []
        let names = ["blip": "BLIP", "websocket": "WebSocket"]
        let title = words.map { names[String($0)] ?? String($0) }.joined(separator: " ")
        return title.prefix(1).uppercased() + title.dropFirst()
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

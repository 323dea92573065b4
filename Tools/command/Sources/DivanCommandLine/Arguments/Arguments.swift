/// The words of a command line, parsed into operands and options.
package struct Arguments: Sendable {
    /// The arguments without dashes, in order.
    package private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    /// The words as given.
    package let words: [String]
    /// Whether `--help` was among them; nothing else was checked then.
    package private(set) var wantsHelp = false

    /// Parses `words` as `syntax` allows.
    ///
    /// - Throws: `Failure` of kind `.usage`: an unknown option, a missing value, a missing or
    ///   superfluous operand.
    package init(_ words: some Swift.Collection<String>, syntax: CommandSyntax) throws(Failure) {
        self.words = Array(words)
        var rest = self.words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if ["--help", "-h"].contains(word) {
                wantsHelp = true
                return
            }
            try take(word, from: &rest, syntax)
        }
        try checkOperands(syntax)
    }

    /// Whether a switch was given.
    package func has(_ option: String) -> Bool { values[option] != nil }

    /// Returns the last value of an option.
    package func value(_ option: String) -> String? { values[option]?.last }

    /// Returns all values of an option that may be repeated.
    package func values(_ option: String) -> [String] { values[option] ?? [] }

    /// Returns all values of an option that may be repeated; commas separate values too.
    package func list(_ option: String) -> [String] {
        values(option).flatMap { $0.listItems }
    }

    /// The option that was given of several that exclude each other; `nil` if none was.
    ///
    /// - Throws: `Failure` of kind `.usage` if several were given.
    @discardableResult
    package func onlyOption(of options: [String]) throws(Failure) -> String? {
        let given = options.filter { has($0) }
        guard given.count < 2 else {
            throw .usage("'\(given[0])' and '\(given[1])' cannot be used together")
        }
        return given.first
    }

    /// The same words with other values of an option.
    package func setting(_ option: String, to texts: [String]) -> Arguments {
        var changed = self
        changed.values[option] = texts
        return changed
    }

    /// Returns a number given as the value of an option.
    package func number<N: FixedWidthInteger>(
        _ option: String,
        in range: ClosedRange<N>
    ) throws(Failure) -> N? {
        guard let text = value(option) else { return nil }
        guard let number = N(text), range.contains(number) else {
            throw .usage(
                "invalid value '\(text)' for '\(option)'",
                hint: "use a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// The operands that name something of a kind.
    package func operands(
        ofKind kind: CommandSyntax.Completion,
        _ syntax: CommandSyntax
    ) -> [String] {
        operands.enumerated().filter { syntax.operands[min: $0.offset]?.completion == kind }
            .map(\.element)
    }

    private mutating func take(
        _ word: String,
        from rest: inout ArraySlice<String>,
        _ syntax: CommandSyntax
    ) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        let name = parts.first ?? word
        guard let option = syntax.options.first(where: { $0.name == name || $0.short == name })
        else {
            throw .usage(
                "divan \(syntax.name): unknown option '\(name)'",
                hint: suggestion(name, syntax)
            )
        }
        guard option.value != nil else {
            guard parts.count == 1 else {
                throw .usage("divan \(syntax.name): option '\(name)' does not take a value")
            }
            values[option.name] = []
            return
        }
        // `--name=` has a value too, an empty one.
        let value = word.contains("=") ? parts.dropFirst().first ?? "" : rest.popFirst()
        let remedy = "write '\(name) \(option.value ?? "VALUE")'"
        guard let value else {
            throw .usage("divan \(syntax.name): option '\(name)' requires a value", hint: remedy)
        }
        // An unset shell variable must not widen what is shared, pulled or removed.
        let isText = value.contains { $0 != "," && $0 != " " }
        guard isText || option.isCharacter && !value.isEmpty else {
            throw .usage(
                "divan \(syntax.name): the value of option '\(name)' is empty",
                hint: remedy
            )
        }
        values[option.name, default: []].append(value)
    }

    private func checkOperands(_ syntax: CommandSyntax) throws(Failure) {
        let required = syntax.operands.filter { !$0.isOptional }
        if operands.count < required.count {
            let missing = required[operands.count].name
            throw .usage("divan \(syntax.name): missing argument \(missing)")
        }
        let isOpen = syntax.operands.contains { $0.isRepeating }
        if !isOpen, operands.count > syntax.operands.count {
            let extra = operands[syntax.operands.count]
            let isQuery = syntax.operands.last?.name == "SELECT"
            throw .usage(
                "divan \(syntax.name): unexpected argument '\(extra)'",
                hint: isQuery ? "put the query in quotes" : nil
            )
        }
        for (index, text) in operands.enumerated() {
            guard let operand = syntax.operands[min: index] else { break }
            if [.database, .file].contains(operand.completion), text.isEmpty {
                throw .usage("divan \(syntax.name): argument \(operand.name) is empty")
            }
        }
    }

    private func suggestion(_ name: String, _ syntax: CommandSyntax) -> String? {
        let names = syntax.options.map(\.name)
        if let near = Spelling.nearest(to: name, among: names) { return "did you mean '\(near)'?" }
        if ["--password", "--pass", "--passwd"].contains(name), names.contains("--password-file") {
            return "use '--password-file FILE', or DIVAN_PASSWORD: other users can read arguments"
        }
        // Not accepted as such: -collection would create a collection "ollection".
        let short = syntax.options.first { option in
            option.value != nil && option.short.map { name.hasPrefix($0) } ?? false
        }?.short
        if let short { return "write '\(short) \(name.dropFirst(short.count))'" }
        // An ID may begin with a hyphen.
        let mayBeOperand = !name.hasPrefix("--") && !syntax.operands.isEmpty
        return mayBeOperand ? "to use '\(name)' as an argument, write '-- \(name)'" : nil
    }
}

extension [CommandSyntax.Operand] {
    /// The operand at an index; the last one applies to all that follow.
    fileprivate subscript(min index: Int) -> Element? {
        isEmpty ? nil : self[Swift.min(index, count - 1)]
    }
}

/// Finds the word that was probably meant.
package enum Spelling {
    /// Returns the candidate that differs from `word` in at most two letters, and in less than half of
    /// them: between two short words nearly any distance is at most two.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // Among equally near ones, prefer one whose end was not typed.
        let ranked = candidates.map { ($0, distance(word, $0)) }.min {
            $0.1 != $1.1 ? $0.1 < $1.1 : $0.0.hasPrefix(word) && !$1.0.hasPrefix(word)
        }
        guard let (candidate, distance) = ranked, distance <= 2,
            distance * 2 < max(word.count, candidate.count)
        else { return nil }
        return candidate
    }

    /// How many letters must be changed, added, removed or swapped with their neighbour.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}

extension String {
    /// The items of a comma-separated list.
    ///
    /// By bytes: a comma followed by a combining mark is still a comma.
    package var listItems: [String] {
        utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    }
}

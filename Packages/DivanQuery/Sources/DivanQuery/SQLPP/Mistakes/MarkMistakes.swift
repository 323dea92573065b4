import DivanJSON

/// Operators of other languages, and stray marks.
enum MarkMistakes {
    static let rules: [SyntaxMistake.Rule] = [comparison, sign, path, parenthesis]

    /// `===`, `!==`, `=>`, `=<`, `:=` and `->`.
    private static func comparison(_ context: SyntaxContext) -> SyntaxMistake? {
        guard let first = context.previous(), context.isAdjacent(first, context.current) else {
            return colonEqual(context)
        }
        let written = context.text(first) + context.text(context.current)
        let meant: [ExactText: String] = [
            "===": "=", "==>": ">=", "!==": "<>", "=>": ">=", "=<": "<=", "<>=": "<>", "=!": "<>",
            "->": "a.b for a member of an object", "><": "<>",
        ]
        guard let remedy = meant[ExactText(written)] else { return colonEqual(context) }
        return SyntaxMistake("\(written) is no operator; write \(remedy)", at: first)
    }

    private static func colonEqual(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.current.form == .mark(.colon),
            context.after.first?.form == .mark(.equal)
        else { return nil }
        return SyntaxMistake(":= is no operator; write =", at: context.current)
    }

    /// Signs that have no meaning, each with what to write instead.
    private static let signs: [Character: String] = [
        "!": "write NOT (a = 1), and <> for !=", "~": "write REGEXP_LIKE(name, 'pattern')",
        "^": "write POWER(a, b)", "#": "SQL++ for Mobile has no comments",
        "@": "write $name, and pass the value of name as a parameter",
        "\\": "a backslash escapes in a pattern of LIKE only",
        "≠": "write <>", "≤": "write <=", "≥": "write >=", "×": "write *", "÷": "write /",
        "–": "write - for a minus", "—": "write - for a minus", "−": "write - for a minus",
        "‘": "a text has straight quotes: 'Oslo'", "’": "a text has straight quotes: 'Oslo'",
        "“": "a text has straight quotes: 'Oslo'", "”": "a text has straight quotes: 'Oslo'",
        "„": "a text has straight quotes: 'Oslo'", "«": "a text has straight quotes: 'Oslo'",
        "´": "a text has straight quotes: 'Oslo'", "…": "write out what the dots stand for",
        "，": "write , with one byte", "；": "write ; with one byte", "（": "write ( with one byte",
        "）": "write ) with one byte", "＝": "write = with one byte",
    ]

    private static func sign(_ context: SyntaxContext) -> SyntaxMistake? {
        switch context.current.form {
        case .flaw(.comment):
            return SyntaxMistake(
                "SQL++ for Mobile has no comments; leave it out",
                at: context.current
            )
        case .flaw(.strangeByte): break
        default: return nil
        }
        guard let character = context.character, let scalar = character.unicodeScalars.first else {
            return nil
        }
        if let remedy = signs[character] {
            return SyntaxMistake("\(character) has no meaning here; \(remedy)", at: context.current)
        }
        let isBlank = scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        if isBlank {
            return SyntaxMistake("\(code) is no plain blank; type it anew", at: context.current)
        }
        let name = scalar.value < 0x20 || scalar.value == 0x7F ? code : "\(character)"
        return SyntaxMistake(
            "\(name) has no meaning here; texts stand in quotes, odd names in back-quotes",
            at: context.current
        )
    }

    /// A dot with nothing before or after it, and names with too many parts.
    private static func path(_ context: SyntaxContext) -> SyntaxMistake? {
        if context.current.form == .mark(.dot) {
            if context.clause == .from, context.endsOperand(context.previous()) {
                return SyntaxMistake(
                    "a collection is scope.name; leave out what stands in front",
                    at: context.current
                )
            }
            return SyntaxMistake("the dot is one too many", at: context.current)
        }
        guard context.current.form == .mark(.divided),
            context.previous()?.form == .mark(.divided)
        else { return nil }
        return SyntaxMistake("SQL++ for Mobile has no comments; leave it out", at: context.current)
    }

    private static func parenthesis(_ context: SyntaxContext) -> SyntaxMistake? {
        switch context.current.form {
        case .mark(.closeParenthesis), .mark(.closeBracket), .mark(.closeBrace):
            guard context.endsOperand(context.previous()), !context.isInside else { return nil }
            return SyntaxMistake(
                "\(context.text(context.current)) closes nothing; leave it out",
                at: context.current
            )
        case .mark(.openParenthesis) where context.isAtName:
            return SyntaxMistake(
                "a name must stand here, without parentheses",
                at: context.current
            )
        default: return nil
        }
    }
}

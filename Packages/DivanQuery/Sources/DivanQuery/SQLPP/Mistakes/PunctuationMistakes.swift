import DivanJSON

/// Operators of other languages, and stray marks.
enum PunctuationMistakes {
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
        return SyntaxMistake("\(written) is not an operator; write \(remedy)", at: first)
    }

    private static func colonEqual(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.current.form == .mark(.colon),
            context.after.first?.form == .mark(.equal)
        else { return nil }
        return SyntaxMistake(":= is not an operator; write =", at: context.current)
    }

    /// Signs that have no meaning, each with what to write instead.
    private static let signs: [Character: String] = [
        "!": "write NOT (a = 1), and <> for !=", "~": "write REGEXP_LIKE(name, 'pattern')",
        "^": "write POWER(a, b)", "#": "SQL++ for Mobile has no comments",
        "@": "write $name, and pass its value as a parameter",
        "\\": "a backslash escapes only in LIKE patterns",
        "≠": "write <>", "≤": "write <=", "≥": "write >=", "×": "write *", "÷": "write /",
        "–": "write - for minus", "—": "write - for minus", "−": "write - for minus",
        "‘": "use straight quotes: 'Oslo'", "’": "use straight quotes: 'Oslo'",
        "“": "use straight quotes: 'Oslo'", "”": "use straight quotes: 'Oslo'",
        "„": "use straight quotes: 'Oslo'", "«": "use straight quotes: 'Oslo'",
        "´": "use straight quotes: 'Oslo'", "…": "write the omitted text",
        "，": "use an ASCII comma", "；": "use an ASCII semicolon", "（": "use an ASCII parenthesis",
        "）": "use an ASCII parenthesis", "＝": "use an ASCII equals sign",
    ]

    private static func sign(_ context: SyntaxContext) -> SyntaxMistake? {
        switch context.current.form {
        case .flaw(.comment):
            return SyntaxMistake(
                "SQL++ for Mobile has no comments; remove the comment",
                at: context.current
            )
        case .flaw(.strangeByte): break
        default: return nil
        }
        guard let character = context.character, let scalar = character.unicodeScalars.first else {
            return nil
        }
        if let remedy = signs[character] {
            return SyntaxMistake("unexpected \(character); \(remedy)", at: context.current)
        }
        let isBlank = scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        if isBlank {
            return SyntaxMistake("\(code) is not a plain space; retype it", at: context.current)
        }
        let name = scalar.value < 0x20 || scalar.value == 0x7F ? code : "\(character)"
        return SyntaxMistake(
            "unexpected \(name); put strings in quotes, and names with special characters in"
                + " backticks",
            at: context.current
        )
    }

    /// A dot with nothing before or after it, and names with too many parts.
    private static func path(_ context: SyntaxContext) -> SyntaxMistake? {
        if context.current.form == .mark(.dot) {
            if context.clause == .from, context.endsOperand(context.previous()) {
                return SyntaxMistake(
                    "a collection is scope.name; remove the parts before it",
                    at: context.current
                )
            }
            return SyntaxMistake("extra dot; remove it", at: context.current)
        }
        guard context.current.form == .mark(.divided),
            context.previous()?.form == .mark(.divided)
        else { return nil }
        return SyntaxMistake(
            "SQL++ for Mobile has no comments; remove the comment",
            at: context.current
        )
    }

    private static func parenthesis(_ context: SyntaxContext) -> SyntaxMistake? {
        switch context.current.form {
        case .mark(.closeParenthesis), .mark(.closeBracket), .mark(.closeBrace):
            guard context.endsOperand(context.previous()), !context.isInside else { return nil }
            return SyntaxMistake(
                "unmatched \(context.text(context.current)); remove it",
                at: context.current
            )
        case .mark(.openParenthesis) where context.isAtName:
            return SyntaxMistake(
                "expected a name, without parentheses",
                at: context.current
            )
        default: return nil
        }
    }
}

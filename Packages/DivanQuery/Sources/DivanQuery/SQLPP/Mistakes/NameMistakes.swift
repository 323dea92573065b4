/// Mistakes with quotes, names and values: a text in place of a name, and the reverse.
enum NameMistakes {
    static let rules: [SyntaxMistake.Rule] = [
        apostrophe, quotedName, nameInBrackets, oddName, position, placeholder, number,
    ]

    /// `'it's'` and `'it\'s'`.
    private static func apostrophe(_ context: SyntaxContext) -> SyntaxMistake? {
        guard let text = context.previous(), case .string = text.form,
            context.isAdjacent(text, context.current), case .word = context.current.form
        else { return nil }
        let quote = context.text(text).prefix(1)
        let doubled = "\(quote)it\(quote)\(quote)s\(quote)"
        return SyntaxMistake(
            "the string ends at the second \(quote); double a quote inside it, without a backslash:"
                + " \(doubled)",
            at: text
        )
    }

    /// Quotes in place of a name.
    private static func quotedName(_ context: SyntaxContext) -> SyntaxMistake? {
        guard case .string(let name) = context.current.form, context.isAtName else { return nil }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let quoted = parts.map { "`\($0)`" }.joined(separator: ".")
        return SyntaxMistake(
            "\(context.shortened(context.current)) is a string; write the name without quotes,"
                + " or in backticks: \(quoted)",
            at: context.current
        )
    }

    /// `[name]` in place of a name.
    private static func nameInBrackets(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.current.form == .mark(.openBracket), context.isAtName else { return nil }
        let name = context.text(context.after.first)
        return SyntaxMistake(
            "brackets create an array; write the name without them, or in backticks: `\(name)`",
            at: context.current
        )
    }

    /// Letters beyond ASCII, and dashes, in a name without back-quotes.
    private static func oddName(_ context: SyntaxContext) -> SyntaxMistake? {
        let isDash = context.current.form == .mark(.minus) && context.clause == .from
        let isLetter = context.current.form == .flaw(.strangeByte) && context.isAtLetter
        guard isDash || isLetter else { return nil }
        var start = context.current
        if let last = context.previous(), last.form == .word,
            context.isAdjacent(last, context.current)
        {
            start = last
        } else if isDash {
            return nil
        }
        let reason = isDash ? "a name with a dash" : "a name with letters other than A to Z"
        let name = context.name(at: start.range.lowerBound)
        return SyntaxMistake("\(reason) needs backticks: `\(name)`", at: start)
    }

    /// Anything but a number between the brackets after a property.
    private static func position(_ context: SyntaxContext) -> SyntaxMistake? {
        guard let bracket = context.before.lastIndex(where: { $0.form == .mark(.openBracket) }),
            bracket >= context.before.count - 2, bracket > 0,
            context.endsOperand(context.before[bracket - 1])
        else { return nil }
        let name = context.text(context.before[bracket - 1])
        if case .string(let key) = context.current.form {
            return SyntaxMistake(
                "write \(name).`\(key)` for a member of an object; brackets require an array index",
                at: context.current
            )
        }
        return SyntaxMistake(
            "brackets require one integer: \(name)[0] is the first item, \(name)[-1] the last; for all"
                + " items, use UNNEST, or ANY v IN \(name) SATISFIES v = 'x' END",
            at: context.current
        )
    }

    /// `?`, `:name`, `@name`, `%s` and the like instead of `$name`.
    private static func placeholder(_ context: SyntaxContext) -> SyntaxMistake? {
        let remedy = "write $name, and pass its value as a parameter"
        if context.previous()?.form == .mark(.dollar) {
            return SyntaxMistake(
                "parameter names begin with a letter; \(remedy)",
                at: context.current
            )
        }
        let sign = context.text(context.current)
        switch context.current.form {
        case .flaw(.strangeByte) where sign == "?": break
        case .flaw(.strangeByte) where ["@", "#"].contains(sign),
            .mark(.colon), .mark(.modulo):
            let next = context.after.first?.form
            guard !context.endsOperand(context.previous()),
                context.isAdjacent(context.current, context.after.first),
                next == .word || next == .integer || next == .mark(.openBrace)
            else { return nil }
        case .word, .mark(.openBrace):
            guard context.previous()?.form == .mark(.openBrace) else { return nil }
            if context.after.first?.form == .mark(.colon) {
                return SyntaxMistake(
                    "put object keys in quotes: {'\(sign)': …}",
                    at: context.current
                )
            }
        default: return nil
        }
        return SyntaxMistake("parameters must have names; \(remedy)", at: context.current)
    }

    /// `0x10`, `1_000`, `1,000` and `10kg`.
    private static func number(_ context: SyntaxContext) -> SyntaxMistake? {
        if context.current.form == .flaw(.numberRunsOn) {
            let text = context.name(at: context.current.range.lowerBound).lowercased()
            if text.hasPrefix("0x") {
                return SyntaxMistake("numbers are decimal; write 255 for 0xFF", at: context.current)
            }
            if text.contains("_") {
                return SyntaxMistake("write the number without _", at: context.current)
            }
        }
        guard context.current.form == .mark(.comma), context.previous()?.form == .integer,
            context.isAdjacent(context.previous(), context.current),
            context.isAdjacent(context.current, context.after.first),
            context.after.first?.form == .integer, context.clause != .limit
        else { return nil }
        return SyntaxMistake("write the number without a comma", at: context.current)
    }
}

/// Clauses that are empty or in the wrong order, and items without a separator.
enum ClauseMistakes {
    static let rules: [SyntaxMistake.Rule] = [
        secondQuery, innerQuery, missingFrom, missingBy, strayComma, emptyClause, clauseOrder,
        reservedName, aggregateOfAll, unquotedPattern, comma, missingComma,
    ]

    private static func secondQuery(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.previous()?.form == .mark(.semicolon) else { return nil }
        return SyntaxMistake(
            "only one query at a time; remove everything after the semicolon",
            at: context.current
        )
    }

    private static func innerQuery(_ context: SyntaxContext) -> SyntaxMistake? {
        let next = context.after.first?.form
        let isInParentheses =
            context.current.form == .mark(.openParenthesis) && next == .keyword(.select)
        guard context.current.form == .keyword(.select) || isInParentheses else { return nil }
        return SyntaxMistake(SyntaxMistake.innerQuery, at: context.current)
    }

    private static func missingFrom(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.clause == .select, context.endsOperand(context.previous()),
            case .keyword(let keyword) = context.current.form, keyword.clauseNumber ?? 0 > 1
        else { return nil }
        return SyntaxMistake(
            "FROM is missing before \(keyword.rawValue); name a collection, such as FROM _",
            at: context.current
        )
    }

    /// `ORDER price` and `GROUP price`.
    private static func missingBy(_ context: SyntaxContext) -> SyntaxMistake? {
        guard let form = context.previous()?.form, context.current.form != .end,
            form == .keyword(.order) || form == .keyword(.group),
            context.clause == .order || context.clause == .group
        else { return nil }
        return SyntaxMistake(
            "BY is missing after \(context.text(context.previous()).uppercased())",
            at: context.current
        )
    }

    /// `SELECT a, FROM`, `SELECT , a` and `FROM c,`.
    private static func strayComma(_ context: SyntaxContext) -> SyntaxMistake? {
        let isBehind = context.previous()?.form == .mark(.comma)
        switch context.current.form {
        case .keyword(let keyword) where isBehind && context.isAtClause:
            return context.previous().map { comma in
                let name = keyword.rawValue
                return SyntaxMistake("extra comma before \(name); remove it", at: comma)
            }
        case .mark(.comma) where isBehind || !context.endsOperand(context.previous()),
            .mark(.comma) where context.after.first?.form == .end:
            return SyntaxMistake("extra comma; remove it", at: context.current)
        default: return nil
        }
    }

    /// Nothing between two keywords, of which the first needs something.
    private static func emptyClause(_ context: SyntaxContext) -> SyntaxMistake? {
        guard case .keyword(let keyword) = context.current.form,
            case .keyword(let previous) = context.previous()?.form,
            !context.endsOperand(context.previous())
        else { return nil }
        guard context.isAtClause || [.and, .or].contains(keyword) else { return nil }
        let what = previous == .select ? "; list the columns, or write *" : ""
        return SyntaxMistake(
            "nothing between \(previous.rawValue) and \(keyword.rawValue)\(what)",
            at: context.current
        )
    }

    private static func clauseOrder(_ context: SyntaxContext) -> SyntaxMistake? {
        guard case .keyword(let keyword) = context.current.form, let clause = context.clause,
            context.endsOperand(context.previous()), let number = keyword.clauseNumber,
            let reached = clause.clauseNumber
        else { return nil }
        if keyword == .having, clause != .having {
            return SyntaxMistake(
                "HAVING must follow GROUP BY; use WHERE for conditions on documents",
                at: context.current
            )
        }
        if keyword == clause {
            let remedy = keyword == .where ? "; combine the conditions with AND" : ""
            return SyntaxMistake(
                "duplicate \(keyword.rawValue)\(remedy)",
                at: context.current
            )
        }
        guard number < reached else { return nil }
        return SyntaxMistake(
            "\(keyword.rawValue) must come before \(clause.rawValue); the order is FROM, JOIN,"
                + " UNNEST, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET",
            at: context.current
        )
    }

    /// A keyword in place of a name or an operand.
    private static func reservedName(_ context: SyntaxContext) -> SyntaxMistake? {
        guard case .keyword(let keyword) = context.current.form,
            !context.endsOperand(context.previous()), context.previous() != nil,
            keyword != .distinct
        else { return nil }
        let name = context.text(context.current)
        return SyntaxMistake(
            "\(keyword.rawValue) is a reserved word; to use it as a name, put it in backticks:"
                + " `\(name)`",
            at: context.current
        )
    }

    /// `COUNT * FROM`.
    private static func aggregateOfAll(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.previous()?.form == .mark(.times), let word = context.previous(2),
            QueryAggregate(rawValue: context.text(word).uppercased()) != nil
        else { return nil }
        return SyntaxMistake("write \(context.text(word).uppercased())(*)", at: word)
    }

    /// `LIKE o%`.
    private static func unquotedPattern(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.previous()?.form == .mark(.modulo), let word = context.previous(2),
            context.previous(3)?.form == .keyword(.like)
        else { return nil }
        return SyntaxMistake("put the pattern in quotes: '\(context.text(word))%'", at: word)
    }

    private static func comma(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.current.form == .mark(.comma), let clause = context.clause else { return nil }
        if context.previous(2)?.form == .keyword(.between) {
            return SyntaxMistake("write AND between the bounds of BETWEEN", at: context.current)
        }
        let remedy: String
        switch clause {
        case .from, .join, .left, .inner, .cross, .unnest:
            remedy =
                "join collections with JOIN … ON, and array items with UNNEST, not with a comma"
        case .limit, .offset: remedy = "write LIMIT 10 OFFSET 20, without a comma"
        case .where, .having, .on: remedy = "combine conditions with AND or OR, not with a comma"
        default: return nil
        }
        return SyntaxMistake(remedy, at: context.current)
    }

    /// Two operands with nothing between them.
    private static func missingComma(_ context: SyntaxContext) -> SyntaxMistake? {
        guard context.endsOperand(context.previous()), context.beginsOperand(context.current),
            let clause = context.clause
        else { return nil }
        let found = "unexpected \(context.shortened(context.current))"
        let remedy: String
        switch clause {
        case .select: remedy = "separate columns with commas, and write FROM after the last"
        case .where, .having, .on: remedy = "combine conditions with AND or OR"
        case .group, .order: remedy = "separate the keys of \(clause.rawValue) BY with commas"
        case .from, .join, .left, .inner, .cross, .unnest:
            remedy = "a source can be followed by JOIN, UNNEST, WHERE, GROUP BY, ORDER BY or LIMIT"
        default: remedy = "LIMIT and OFFSET take one number each, and end the query"
        }
        return SyntaxMistake("\(found); \(remedy)", at: context.current)
    }
}

extension SyntaxContext {
    /// Whether a clause begins at the current token: `ORDER` alone may be a name.
    fileprivate var isAtClause: Bool {
        guard case .keyword(let keyword) = current.form, keyword.beginsClause else { return false }
        return keyword != .group && keyword != .order || after.first?.form == .keyword(.by)
    }
}

import DivanJSON

/// Writes expressions and statements as SQL++ that reads back as the same tree.
///
/// Parentheses are written only where needed. What only the JSON form can express is written as
/// close to it as SQL++ allows.
struct SQLPrinter {
    /// How tightly an expression binds; operands need a certain rank.
    enum Rank: Int, Comparable {
        case collated, or, and, test, equality, compare, sum, product, joined, dotted, primary

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private(set) var text = ""

    /// Writes an expression, in parentheses if it binds less tightly than `rank`.
    mutating func write(_ expression: QueryExpression, _ rank: Rank = .collated) {
        let needsParentheses = expression.rank < rank
        if needsParentheses { text += "(" }
        write(expression.form)
        if needsParentheses { text += ")" }
    }

    private mutating func write(_ form: QueryExpression.Form) {
        switch form {
        case .literal(let literal): text += literal.sql
        case .refused: text += QueryLiteral.null.sql
        case .parameter(let name): text += "$" + Self.parameter(name.text)
        case .property(let path), .variable(let path): text += path.sql
        case .everything(let source): text += source.isEmpty ? "*" : source.sql + ".*"
        case .metadata(let source, let key):
            text += "META(\(source.sql))" + (key.map { "." + Self.name($0.text) } ?? "")
        case .member(let whole, let path):
            write(whole, whole.isSafeBeforeDot ? .primary : nil)
            text += path.sqlBelow
        case .array(let items): list(items, "[", "]")
        case .object(let members): object(members)
        case .not(let operand): write("NOT ", operand, .primary)
        case .negative(let operand): signed("-", operand)
        case .positive(let operand): signed("+", operand)
        case .and(let terms): join(terms, " AND ", .test)
        case .or(let terms): join(terms, " OR ", .and)
        case .concatenation(let parts): join(parts, " || ", .dotted)
        case .quantified(let quantifier, let variable, let items, let condition):
            text += "\(quantifier.rawValue) \(Self.name(variable.text))"
            write(" IN ", items)
            write(" SATISFIES ", condition)
            text += " END"
        case .choice(let subject, let branches, let otherwise):
            choice(subject, branches, otherwise)
        case .exists(let statement):
            text += "EXISTS ("
            write(statement)
            text += ")"
        case .collated(let operand, let change):
            write(operand, .or)
            text += " COLLATE " + change.sql
        case .call(let function, let arguments): list(arguments, function.rawValue + "(", ")")
        case .aggregate(let aggregate, let argument, let isDistinct):
            text += aggregate.rawValue + (isDistinct ? "(DISTINCT " : "(")
            if let argument { write(argument) } else { text += "*" }
            text += ")"
        case .match(let index, let query):
            write("MATCH(\(index.sql), ", query)
            text += ")"
        case .rank(let index): text += "RANK(\(index.sql))"
        case .vectorDistance(let arguments): list(arguments, VectorSearches.name + "(", ")")
        case .prediction(let model, let input):
            let model = QueryPath([.key(model)])
            write("\(QueryExpression.predictionName)(\(model.sql), ", input)
            text += ")"
        case .blob(let path): text += "BLOB(\(path.sql))"
        default: writeOperator(form)
        }
    }

    private mutating func writeOperator(_ form: QueryExpression.Form) {
        switch form {
        case .arithmetic(let first, let links): calculation(first, links)
        case .comparison(let comparison, let left, let right):
            let isOrder = form.rank == .compare
            write(left, isOrder ? .compare : .equality)
            // NOT after IS belongs to it.
            let isApart = comparison == .same && right.beginsWithNot
            write(" \(comparison.rawValue) ", right, isApart ? nil : isOrder ? .sum : .compare)
        case .isValued(let operand):
            write(operand, .compare)
            text += " IS VALUED"
        case .between(let value, let low, let high):
            write(value, .compare)
            write(" BETWEEN ", low, .compare)
            write(" AND ", high, .compare)
        case .isIn(let value, let set, let isNegated): membership(value, set, isNegated)
        case .like(let value, let pattern):
            write(value, .compare)
            write(" LIKE ", pattern, .compare)
        case .hasValue(let operand):
            write(operand, .compare)
            text += " IS NOT MISSING"
        default: break
        }
    }

    /// Writes an operand; without a rank, always in parentheses.
    private mutating func write(_ operand: QueryExpression, _ rank: Rank?) {
        if let rank { return write(operand, rank) }
        text += "("
        write(operand, .collated)
        text += ")"
    }

    private mutating func write(_ mark: String, _ operand: QueryExpression, _ rank: Rank?) {
        text += mark
        write(operand, rank)
    }

    private mutating func write(_ mark: String, _ operand: QueryExpression) {
        write(mark, operand, .collated)
    }

    /// Two signs are separated by a space, without parentheses, whose depth is limited.
    private mutating func signed(_ sign: String, _ operand: QueryExpression) {
        switch operand.form {
        case .negative, .positive: write(sign + " ", operand, .primary)
        default: write(sign, operand, operand.isSafeBehindSign ? .primary : nil)
        }
    }

    private mutating func join(_ operands: [QueryExpression], _ mark: String, _ rank: Rank) {
        for (place, operand) in operands.enumerated() {
            if place > 0 { text += mark }
            write(operand, rank)
        }
    }

    private mutating func list(_ items: [QueryExpression], _ start: String, _ end: String) {
        text += start
        join(items, ", ", .collated)
        text += end
    }

    private mutating func object(_ members: [QueryExpression.Member]) {
        text += "{"
        for (place, member) in members.enumerated() {
            if place > 0 { text += ", " }
            write(Self.string(member.key.text) + ": ", member.value)
        }
        text += "}"
    }

    private mutating func calculation(
        _ first: QueryExpression,
        _ links: [QueryExpression.Link]
    ) {
        let isSum = links.first?.arithmetic.isSum ?? true
        write(first, isSum ? .sum : .product)
        for link in links {
            write(" \(link.arithmetic.rawValue) ", link.operand, isSum ? .product : .joined)
        }
    }

    private mutating func membership(
        _ value: QueryExpression,
        _ set: QueryExpression,
        _ isNegated: Bool
    ) {
        if case .array(let items) = set.form {
            write(value, .compare)
            return list(items, isNegated ? " NOT IN (" : " IN (", ")")
        }
        guard set.isSafeBehindIn else {
            // In parentheses it would be a list.
            text += isNegated ? "NOT ARRAY_CONTAINS(" : "ARRAY_CONTAINS("
            write(set)
            write(", ", value)
            text += ")"
            return
        }
        write(value, .compare)
        write(isNegated ? " NOT IN " : " IN ", set)
    }

    private mutating func choice(
        _ subject: QueryExpression?,
        _ branches: [QueryExpression.Branch],
        _ otherwise: QueryExpression?
    ) {
        text += "CASE"
        if let subject { write(" ", subject) }
        for branch in branches {
            write(" WHEN ", branch.when)
            write(" THEN ", branch.then)
        }
        if let otherwise { write(" ELSE ", otherwise) }
        text += " END"
    }

    mutating func write(_ statement: QueryStatement) {
        text += statement.isDistinct ? "SELECT DISTINCT " : "SELECT "
        if statement.columns.isEmpty { text += "_id, _sequence" }
        separated(statement.columns) { printer, column in
            printer.write(column.expression)
            printer.alias(column.alias)
        }
        text += " FROM "
        if statement.sources.isEmpty { text += "_" }
        for source in statement.sources { write(source, main: statement.sources[0]) }
        if let filter = statement.filter { write(" WHERE ", filter) }
        if !statement.groups.isEmpty {
            text += " GROUP BY "
            separated(statement.groups) { printer, group in printer.write(group) }
        }
        if let filter = statement.groupFilter { write(" HAVING ", filter) }
        if !statement.orderings.isEmpty {
            text += " ORDER BY "
            separated(statement.orderings) { printer, ordering in
                printer.write(ordering.expression)
                if ordering.isDescending { printer.text += " DESC" }
            }
        }
        if let limit = statement.limit { write(" LIMIT ", limit) }
        if let offset = statement.offset { write(" OFFSET ", offset) }
    }

    private mutating func separated<Element>(
        _ elements: [Element],
        _ write: (inout SQLPrinter, Element) -> Void
    ) {
        for (place, element) in elements.enumerated() {
            if place > 0 { text += ", " }
            write(&self, element)
        }
    }

    private mutating func alias(_ alias: ExactText?) {
        if let alias { text += " AS " + Self.name(alias.text) }
    }

    private mutating func write(_ source: QuerySource, main: QuerySource) {
        if let join = source.join { text += join == .inner ? " JOIN " : " \(join.rawValue) JOIN " }
        switch source.form {
        case .items(let items): write(" UNNEST ", items)
        case .collection(let scope, let name): text += Self.name(scope, name)
        case .mainCollection:
            if case .collection(let scope, let name) = main.form { text += Self.name(scope, name) }
        }
        alias(source.alias)
        if let condition = source.condition { write(" ON ", condition) }
    }

    private static func name(_ scope: ExactText?, _ name: ExactText) -> String {
        (scope.map { self.name($0.text) + "." } ?? "") + self.name(name.text)
    }
}

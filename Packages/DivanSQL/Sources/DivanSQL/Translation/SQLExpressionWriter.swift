internal import DivanJSON
internal import DivanQuery

/// Writes the expressions of one statement.
struct SQLExpressionWriter<Schema: SQLSchema> {
    let statement: CheckedStatement
    let schema: Schema
    /// The prefix of the names of the statement's tables; `nil` if columns have no table.
    let name: String?
    /// If set, parts of documents are columns of an inner query.
    let extraction: SQLExtraction?
    /// The columns with the output of models.
    var predictions: [CheckedExpression: String] = [:]
    /// The collection whose counter replaces `COUNT(*)`.
    var counted: QueryCollection? = nil
    /// Whether each row is a document whose own row is not read: its ID and sequence are counted as rows.
    var countsRows = false
    /// The column with the rank, if an inner query has it.
    var rank: String? = nil

    var documents: SQLDocumentColumns { schema.documentColumns }

    /// Writes an expression in a form, ready to be an operand.
    func write(
        _ expression: CheckedExpression,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        guard text.text.utf8.count <= SQLLimits.byteCount else {
            let limit = "\(SQLLimits.byteCount >> 20) MiB"
            throw QueryError("the query exceeds \(limit) of SQL; use its aliases less often")
        }
        let start = text.begin { !isBoundToRows(expression) }
        if form == .plain, try isIndexed(expression) {
            try text.spelled { try writeWhole(expression, form, to: &$0) }
        } else {
            try writeWhole(expression, form, to: &text)
        }
        text.end(start)
    }

    /// Whether a part of an expression has a meaning only together with its rows.
    private func isBoundToRows(_ expression: CheckedExpression) -> Bool {
        var rest = [expression]
        while let expression = rest.popLast() {
            switch expression {
            case .aggregate, .rank, .match, .vectorDistance: return true
            case .column(let index, _): rest.append(statement.columns[index].expression)
            default: rest += expression.children
            }
        }
        return false
    }

    func writeWhole(
        _ expression: CheckedExpression,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        switch expression {
        case .array where form == .plain, .object where form == .plain,
            .aggregate(.array, _, _, _) where form == .plain:
            // Their parts may be spelled as another peer spelled them.
            text.call(.plain)
            try writeWhole(expression, .exact, to: &text)
            text += ")"
        case .literal(let literal): write(literal, form, to: &text)
        case .parameter(let name): text.bind(.parameter(name, isExact: form == .exact))
        case .property, .metadata, .allMetadata, .blob:
            try writePart(expression, form, to: &text)
        case .variable(let number, let path):
            writeItem(Self.variable(number), path, form, to: &text)
        case .column(let index, let path):
            let column = statement.columns[index].expression
            try path.isEmpty
                ? write(column, form, to: &text) : writeMember(of: column, path, form, to: &text)
        case .member(of: let value, let path): try writeMember(of: value, path, form, to: &text)
        case .array(let items): try writeArray(items[...], form, to: &text)
        case .object(let members): try writeObject(members, form, to: &text)
        case .concatenation(let parts): try writeJoined(parts[...], to: &text)
        case .arithmetic(let first, let links): try writeArithmetic(first, links, to: &text)
        case .negative(let operand):
            text += "-("
            try write(operand, .plain, to: &text)
            text += ")"
        case .choice(let test, let branches, let otherwise, let collation):
            try text.nested { try writeChoice(test, branches, otherwise, collation, form, to: &$0) }
        case .call(let function, let arguments, let collation):
            try writeCall(function, arguments, collation, form, to: &text)
        case .aggregate(.count, _, _, _) where counted != nil:
            if let counted { text.bind(.liveCount(counted)) }
        case .aggregate(.count, .metadata?, _, _) where countsRows: text += "count(*)"
        case .aggregate(let aggregate, let operand, let collation, let isDistinct):
            try writeAggregate(aggregate, operand, collation, isDistinct: isDistinct, to: &text)
        case .prediction(let model, let input):
            try writePrediction(expression, model, input, form, to: &text)
        case .rank(let index): try writeRank(index, to: &text)
        case .vectorDistance(let number): try writeDistance(number, to: &text)
        default:
            // The rest is true, false or MISSING.
            if form == .exact { text.call(.boolean) } else { text += "(" }
            try writeCondition(expression, to: &text)
            text += ")"
        }
    }

    /// Writes a key of `GROUP BY` or `ORDER BY`.
    func write(key: CheckedKey, to text: inout SQLText) throws {
        let mayBeNumber = isPerhapsNumber(key.expression)
        if mayBeNumber { text += "ifnull(" }
        try write(key.expression, .plain, to: &text)
        if mayBeNumber { text += ", NULL)" }
        write(key.collation, over: [key.expression], to: &text)
    }

    /// Writes the expression of a key of an index.
    func write(indexed expression: CheckedExpression, to text: inout SQLText) throws {
        // A number alone would refer to a column.
        if case .literal = expression { text += "+" }
        try write(expression, .plain, to: &text)
    }

    /// Whether SQLite may take a key for a number, which would refer to a column by position: a literal,
    /// one with signs, and expressions that its parser reduces to one, such as `x AND FALSE` and `x IN ()`.
    private func isPerhapsNumber(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .literal, .negative, .and, .or, .not, .isOneOf: true
        case .column(let index, let path):
            path.isEmpty && isPerhapsNumber(statement.columns[index].expression)
        default: false
        }
    }

    func write(_ collation: QueryCollation, to text: inout SQLText) {
        if let name = collation.sqlName { text += " COLLATE \"\(name)\"" }
    }

    // MARK: Values

    private func write(_ literal: QueryLiteral, _ form: SQLForm, to text: inout SQLText) {
        switch literal {
        case .missing: text += "NULL"
        case .null: text += "x''"
        case .boolean(let value):
            text += form == .exact ? (value ? "x'02'" : "x'01'") : (value ? "1" : "0")
        case .integer(let number): text += number < 0 ? "(\(number))" : "\(number)"
        case .double(let number): text.bind(.double(number.bitPattern))
        case .string(let string): text.bind(.text(ExactText(string)))
        }
    }

    static func variable(_ number: Int) -> String { "v\(number)." }

    /// The prefix of the columns of a source.
    func prefix(_ source: Int) -> String { name.map { "\($0)\(source)." } ?? "" }

    /// Writes a part of a document.
    private func writePart(
        _ expression: CheckedExpression,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        if let extraction {
            text += extraction.name(of: expression, form)
            return
        }
        switch expression {
        case .property(let source, let path):
            let table = prefix(source)
            guard case .documents = statement.sources[source].form else {
                return writeItem(table, path, form, to: &text)
            }
            if path.isEmpty {
                text.call(form == .exact ? .bodyResult : .body)
                text += "\(table)\(documents.body))"
            } else {
                // No index has the exact form, so its path may be anything that SQLite evaluates.
                let mayHold = form == .plain || text.mayHoldBody()
                text.call(form == .exact ? .result : .value)
                text += "\(table)\(documents.body), "
                text += mayHold ? "\(path.storedPath))" : "(SELECT \(path.storedPath)))"
            }
        case .metadata(let source, let key): writeMetadata(source, key, form, to: &text)
        case .allMetadata(let source): writeAllMetadata(source, to: &text)
        default: text += "NULL"
        }
    }

    /// Writes a part of an item of `divan_items`.
    private func writeItem(
        _ table: String,
        _ path: QueryPath,
        _ form: SQLForm,
        to text: inout SQLText
    ) {
        if path.isEmpty {
            text += form == .exact ? "\(table)result" : "\(table)value"
        } else {
            text.call(form == .exact ? .memberResult : .member)
            text += "\(table)result, \(path.storedPath))"
        }
    }

    private func writeMember(
        of value: CheckedExpression,
        _ path: QueryPath,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        text.call(form == .exact ? .memberResult : .member)
        try write(value, .exact, to: &text)
        text += ", \(path.storedPath))"
    }

    private func writeMetadata(
        _ source: Int,
        _ key: QueryMetadataKey,
        _ form: SQLForm,
        to text: inout SQLText
    ) {
        let table = prefix(source)
        switch key {
        case .id: text += table + documents.id
        case .sequence, .rowid: text += table + documents.sequence
        case .expiration: text += table + documents.expiration
        case .revisionID: text += "\(documents.revisionText)(\(table)\(documents.revision))"
        case .deleted:
            if form == .exact { text.call(.boolean) } else { text += "(" }
            text += "\(documents.isDeleted(table)))"
        }
    }

    private func writeAllMetadata(_ source: Int, to text: inout SQLText) {
        let keys: [QueryMetadataKey] = [.deleted, .expiration, .id, .revisionID, .sequence]
        text.call(.object)
        text.list(keys) { text, key in
            text += "'\(key.rawValue)', "
            // A number here, as in the reference engine.
            writeMetadata(source, key, .plain, to: &text)
        }
        text += ")"
    }

    static var piece: Int { 96 }  // arguments of one call, below the 127 that SQLite takes

    private func writeArray(
        _ items: ArraySlice<CheckedExpression>,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        guard items.count > Self.piece else {
            text.call(.array)
            try text.list(items) { try write($1, .exact, to: &$0) }
            text += ")"
            return
        }
        try writePieces(items, called: .join, to: &text) {
            try writeArray($0, form, to: &$1)
        }
    }

    /// Writes a call with as many parts as fit, each part itself a call if there are too many.
    func writePieces<Item>(
        _ items: ArraySlice<Item>,
        called name: SQLFunction.Name,
        to text: inout SQLText,
        _ write: (ArraySlice<Item>, inout SQLText) throws -> Void
    ) throws {
        var size = Self.piece
        while size * Self.piece < items.count { size *= Self.piece }
        let starts = stride(from: items.startIndex, to: items.endIndex, by: size)
        text.call(name)
        try text.list(Array(starts)) { text, start in
            try write(items[start..<min(start + size, items.endIndex)], &text)
        }
        text += ")"
    }

    private func writeObject(
        _ members: [CheckedExpression.Member],
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        var last: [ExactText: CheckedExpression] = [:]
        for member in members { last[member.key] = member.value }
        let sorted = last.sorted { $0.key < $1.key }
        try writeMembers(sorted[...], to: &text)
    }

    private func writeMembers(
        _ members: ArraySlice<(key: ExactText, value: CheckedExpression)>,
        to text: inout SQLText
    ) throws {
        guard members.count > Self.piece / 2 else {
            text.call(.object)
            try text.list(members) { text, member in
                text.bind(.text(member.key))
                text += ", "
                try write(member.value, .exact, to: &text)
            }
            text += ")"
            return
        }
        let half = members.startIndex + members.count / 2
        text.call(.join)
        try writeMembers(members[..<half], to: &text)
        text += ", "
        try writeMembers(members[half...], to: &text)
        text += ")"
    }

    // MARK: Calculation

    private func writeJoined(
        _ parts: ArraySlice<CheckedExpression>,
        to text: inout SQLText
    ) throws {
        guard parts.count > Self.piece else {
            text.call(.concat)
            try text.list(parts) { try write($1, .exact, to: &$0) }
            text += ")"
            return
        }
        try writePieces(parts, called: .concat, to: &text) { try writeJoined($0, to: &$1) }
    }

    private func writeChoice(
        _ test: CheckedExpression?,
        _ branches: [CheckedExpression.Branch],
        _ otherwise: CheckedExpression?,
        _ collation: QueryCollation,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        text += "CASE "
        if let test {
            try writeOperand(test, to: &text)
            write(collation, over: [test] + branches.map(\.when), to: &text)
            text += " "
        }
        for branch in branches {
            text += "WHEN "
            try writeOperand(branch.when, to: &text)
            text += " THEN "
            try write(branch.then, form, to: &text)
            text += " "
        }
        text += "ELSE "
        try write(otherwise ?? .literal(.null), form, to: &text)
        text += " END"
    }

    private func writeCall(
        _ function: QueryFunction,
        _ arguments: [CheckedExpression],
        _ collation: QueryCollation,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        if function == .ifMissing {
            text += "coalesce("
            try text.list(arguments) { try write($1, form, to: &$0) }
            text += ")"
            return
        }
        if function == .arrayOf { return try writeArray(arguments[...], form, to: &text) }
        let isProperty = function == .arrayCount && Self.isPart(arguments.first)
        let call = isProperty ? SQLFunction[.arrayCountOfProperty] : function.inSQL
        switch (call.result, form) {
        case (.exact, .plain): text.call(.plain)
        case (.boolean, .exact): text.call(.boolean)
        default: break
        }
        text.call(call)
        try text.list(arguments) { try write($1, .exact, to: &$0) }
        if function == .contains {
            // By default it compares like Unicode and is case-sensitive.
            text += ", \(collation == .binary ? 2 : collation.folding)"
        }
        text += ")"
        switch (call.result, form) {
        case (.exact, .plain), (.boolean, .exact): text += ")"
        default: break
        }
    }

    private static func isPart(_ expression: CheckedExpression?) -> Bool {
        switch expression {
        case .property, .variable: true
        default: false
        }
    }
}

internal import DivanJSON
internal import DivanQuery

/// The output of models: in a query, a call of `divan_prediction1`, which the caller adds to the connection; in an
/// index, a table with the output for each live document.
///
/// Models belong to a process. One that changes a document without having registered the model stores no output for
/// it, since triggers call the function as well. SQLite's own indexes on such calls would be damaged instead: they look
/// for the entry to remove by calling the function again.
extension SQLIndexTranslation {
    /// The table with the output of a model for the documents of `table`, by the call in SQL.
    static func predictionTable(of table: String, _ call: String) -> String {
        "\(table)_predictions_\(spelled(call))"
    }

    /// The model's name in the name of such a table, for display; `nil` for another table.
    public static func shownModel(ofPredictionTable name: String, of table: String) -> String? {
        let prefix = "\(table)_predictions_"
        guard name.hasPrefix(prefix) else { return nil }
        let call = unspelled(name.dropFirst(prefix.count))
        return call.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first
            .map { String($0) }
    }

    /// The table and the index for parts of one prediction; `nil` if the keys have no prediction.
    ///
    /// - Throws: `QueryError` if they have other parts as well.
    static func prediction(
        of keys: [CheckedKey],
        filter: CheckedExpression?
    ) throws(QueryError) -> CheckedExpression? {
        let expressions = keys.map(\.expression) + [filter].compactMap(\.self)
        guard expressions.contains(where: \.hasPrediction) else { return nil }
        let predictions = Set(keys.map { $0.expression.whole })
        guard filter == nil, predictions.count == 1, let prediction = predictions.first,
            case .prediction(_, let input) = prediction, !input.hasPrediction
        else {
            throw QueryError(
                "an index with PREDICTION() can have only outputs of one prediction, without WHERE"
            )
        }
        return prediction
    }

    /// The table with the output of a model, and the statement that creates an index on parts of it.
    static func predictive(
        _ prediction: CheckedExpression,
        _ parts: [CheckedKey],
        _ index: String,
        _ table: String,
        _ documents: SQLDocumentColumns
    ) throws(QueryError) -> ([Table], create: String) {
        try check([prediction])
        let predictions = try predictions(of: table, prediction, documents)
        guard !parts.isEmpty else { return ([predictions], "") }
        let writer = SQLIndexWriter(
            documents,
            itemSource: nil,
            predictions: [prediction: "result"]
        )
        let columns = try writer.keys(parts)
        return ([predictions], "CREATE INDEX \(index) ON \(predictions.name) (\(columns));")
    }

    /// The table with the output of a model.
    static func predictions(
        of table: String,
        _ prediction: CheckedExpression,
        _ documents: SQLDocumentColumns
    ) throws(QueryError) -> Table {
        let call = try SQLIndexWriter(documents, itemSource: nil).exact(prediction)
        let name = predictionTable(of: table, call)
        let live = documents.isLive()
        func rows(_ source: String) -> String {
            "INSERT INTO \(name) (owner, result) SELECT \(documents.sequence), \(call)"
                + " FROM \(source) WHERE \(live);"
        }
        let create = """
            CREATE TABLE \(name) (owner INTEGER PRIMARY KEY, result);
            \(rows(table))
            \(triggers(of: name, key: "owner", on: table, documents, [call], rows))
            """
        // The output itself is not compared: only the process with the model can compute it.
        let owners = "SELECT \(documents.sequence) FROM \(table) WHERE \(live)"
        let verify = """
            SELECT (SELECT count(*) FROM \(name)) <> (SELECT count(*) FROM \(table) WHERE \(live))
                OR EXISTS (SELECT 1 FROM \(name) WHERE owner NOT IN (\(owners)))
            """
        return Table(name: name, create: create, drop: drop(table: name), verify: verify)
    }
}

extension CheckedExpression {
    /// Whether it calls a model.
    var hasPrediction: Bool {
        if case .prediction = self { true } else { children.contains(where: \.hasPrediction) }
    }

    /// The value that it is a part of.
    fileprivate var whole: CheckedExpression {
        if case .member(let whole, _) = self { whole.whole } else { self }
    }
}

/// The tables with the output of models that a statement can read instead of calling the models.
struct SQLPredictionTables {
    /// In the order of their aliases.
    private var tables: [(prediction: CheckedExpression, name: String)] = []

    init() {}

    /// Finds the tables for the documents of the first source.
    init(of statement: CheckedStatement, in schema: some SQLSchema) throws {
        guard let first = statement.sources.first, case .documents(let collection) = first.form,
            !first.includesDeleted
        else { return }
        var rest = statement.columns.map(\.expression) + statement.groups.map(\.expression)
        rest += statement.orderings.map(\.key.expression)
        rest += [statement.filter, statement.groupFilter].compactMap(\.self)
        while let expression = rest.popLast() {
            rest += expression.children
            guard case .prediction = expression,
                !tables.contains(where: { $0.prediction == expression }),
                let name = try Self.table(of: expression, collection, schema)
            else { continue }
            tables.append((expression, name))
        }
    }

    private static func table(
        of prediction: CheckedExpression,
        _ collection: QueryCollection,
        _ schema: some SQLSchema
    ) throws -> String? {
        var rest = [prediction]
        while let expression = rest.popLast() {
            switch expression {
            case .property(let source, _), .metadata(let source, _), .allMetadata(let source):
                guard source == 0 else { return nil }
            case .parameter, .variable, .column, .exists, .match, .rank, .vectorDistance,
                .aggregate, .blob:
                return nil
            default: break
            }
            rest += expression.children
        }
        let writer = SQLIndexWriter(schema.documentColumns, itemSource: nil)
        guard let call = try? writer.exact(prediction) else { return nil }
        let documents = try schema.table(of: collection)
        let name = SQLIndexTranslation.predictionTable(of: documents, call)
        return try schema.hasIndexTable(name, of: collection) ? name : nil
    }

    /// The name of a table in a query.
    static func alias(_ name: String?, _ number: Int) -> String { "\(name ?? "")p\(number)" }

    /// The columns with the output, by the prediction.
    func columns(_ name: String?) -> [CheckedExpression: String] {
        var columns: [CheckedExpression: String] = [:]
        for (number, table) in tables.enumerated() {
            columns[table.prediction] = "\(Self.alias(name, number)).result"
        }
        return columns
    }

    /// Joins the tables to the first source; each has a row for each live document.
    func write(_ name: String, sequence: String, to text: inout SQLText) {
        for (number, table) in tables.enumerated() {
            let alias = Self.alias(name, number)
            text += " JOIN \(table.name) AS \(alias)"
            text += " ON \(alias).owner = \(name)0.\(sequence)"
        }
    }
}

extension SQLExpressionWriter {
    /// Writes the output of a model.
    func writePrediction(
        _ prediction: CheckedExpression,
        _ model: ExactText,
        _ input: CheckedExpression,
        _ form: SQLForm,
        to text: inout SQLText
    ) throws {
        if form == .plain { text.call(.plain) }
        if let extraction {
            text += extraction.name(of: prediction, .exact)
        } else if let column = predictions[prediction] {
            text += column
        } else {
            text.callModel()
            text.bind(.text(model))
            text += ", "
            try write(input, .exact, to: &text)
            text += ")"
        }
        if form == .plain { text += ")" }
    }
}

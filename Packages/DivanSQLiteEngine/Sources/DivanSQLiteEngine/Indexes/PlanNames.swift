internal import DivanJSON
internal import DivanQuery
internal import DivanSQL
internal import DivanStorage

/// Users' names for the tables and indexes of a plan.
///
/// SQLite knows them by numbers and hexadecimal digits, which can represent any name that a user gives.
/// In a plan the names appear as words of letters, digits and `_`, so each such word is looked up.
struct PlanNames {
    private var shown: [ExactText: String] = [:]
    private var sources: [ExactText: String] = [:]
    private var indexes: [ExactText: ExactText] = [:]

    init(of statement: CheckedStatement, in schema: SQLiteQuerySchema) throws {
        for collection in Set(statement.everyCollection) {
            let table = try schema.table(of: collection)
            let name = "\(collection.scope.text).\(collection.name.text)"
            shown[ExactText(table)] = collection == .standard ? collection.name.text : name
            shown[ExactText("sqlite_autoindex_\(table)_1")] = "META().id"
            for record in try schema.records(of: collection) { add(record, on: table) }
        }
        for (number, source) in statement.sources.enumerated() {
            switch source.form {
            case .documents(let collection):
                let table = ExactText(try schema.table(of: collection))
                sources[ExactText("s\(number)")] = shown[table]
            case .items(let parent, let path):
                sources[ExactText("s\(number)")] =
                    "s\(parent).\(Self.escaped(QueryExpression(.property(path)).sql))"
            }
        }
        for (number, match) in statement.matches.enumerated() {
            let word = ExactText("sm\(number)")
            sources[word] = Self.written(match.index)
            indexes[word] = match.index
        }
        for (number, search) in statement.vectorSearches.enumerated() {
            guard case .documents(let collection) = statement.sources[search.source].form
            else { continue }
            for word in [ExactText("sn\(number)"), ExactText("sk\(number)")] {
                sources[word] = Self.shown(search.index, in: collection)
                indexes[word] = search.index
            }
        }
    }

    /// A vector index as the reference engine names its table, which applications look for.
    private static func shown(_ index: ExactText, in collection: QueryCollection) -> String {
        let isDefaultScope = collection.scope == QueryCollection.standard.scope
        let owner =
            collection == .standard
            ? "default"
            : isDefaultScope
                ? ".\(collection.name.text)" : ".\(collection.scope.text).\(collection.name.text)"
        return "kv_\(owner):vector:\(escaped(index.text))"
    }

    private mutating func add(_ record: IndexRecord, on table: String) {
        let name = Self.written(record.name)
        let index = ExactText(SQLIndexTranslation.indexName(of: record.name, on: table))
        if record.kind == .fullText, let words = record.tables.first.map({ ExactText($0.name) }) {
            shown[words] = name
            indexes[words] = record.name
        } else {
            shown[index] = name
            indexes[index] = record.name
        }
        for vectors in record.tables where record.kind == .vector {
            shown[ExactText(vectors.name)] = name
            shown[ExactText("\(vectors.name)_owner")] = "\"documents of \(record.name)\""
        }
        for predictions in record.tables {
            guard
                let model = SQLIndexTranslation.shownModel(
                    ofPredictionTable: predictions.name,
                    of: table
                )
            else { continue }
            shown[ExactText(predictions.name)] = "\"predictions of \(Self.escaped(model))\""
            if record.kind == .predictive { indexes[ExactText(predictions.name)] = record.name }
        }
        for items in record.tables where record.kind == .array {
            let path = SQLIndexTranslation.shownPath(ofItemTable: items.name, of: table)
            shown[ExactText(items.name)] = "\"items of \(path)\""
            shown[ExactText("\(items.name)_owner")] = "\"owners of the items of \(path)\""
        }
    }

    /// A name on one line, quoted if it has more than letters, digits, `_` and `-`.
    private static func written(_ name: ExactText) -> String {
        let isPlain = name.text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
                || scalar == "-"
        }
        if isPlain, !name.text.isEmpty { return name.text }
        return "\"\(escaped(name.text))\""
    }

    /// Text without what a terminal would interpret, and without quotes.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\""
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    /// A statement with users' names.
    func statement(_ sql: String) -> String {
        Self.mapWords(of: sql) { shown[ExactText($0)] }
    }

    /// A step of a plan with those names, and those of its sources.
    func step(_ text: String) -> String {
        Self.mapWords(of: text) { word in
            sources[ExactText(word)].map { "\($0) AS \(word)" } ?? shown[ExactText(word)]
        }
    }

    /// The indexes that a step uses.
    func indexes(in step: String) -> [ExactText] {
        var found: [ExactText] = []
        _ = Self.mapWords(of: step) { word in
            if let index = indexes[ExactText(word)] { found.append(index) }
            return nil
        }
        return found
    }

    /// Replaces words, except those in single quotes or after a dot.
    private static func mapWords(of text: String, _ replacement: (String) -> String?) -> String {
        var (result, word, before, isQuoted) = ("", "", Character(" "), false)
        func end() {
            let isWord = !word.isEmpty && !isQuoted && before != "."
            result += isWord ? replacement(word) ?? word : word
            word = ""
        }
        for character in text {
            if character == "_" || character.isASCII && (character.isLetter || character.isNumber) {
                word.append(character)
                continue
            }
            end()
            if character == "'" { isQuoted.toggle() }
            before = character
            result.append(character)
        }
        end()
        return result
    }
}

import DivanJSON
import DivanQuery

/// Any text is a query or an error with a place inside it; what was parsed prints as SQL++ that parses
/// as the same query, and can be checked.
enum QueryTexts: FuzzTarget {
    static let name = "query-text"

    static func violation(of input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        do {
            let statement = try QueryStatement(sql: text)
            let printed = statement.sql
            guard let again = try? QueryStatement(sql: printed) else {
                // Only parentheses may have made it deeper than allowed.
                return printed.utf8.count > 200 ? nil : "our own text is refused: \(printed)"
            }
            if again.sql != printed { return "comes back changed: \(printed)" }
            _ = try? statement.checked(against: AnyCatalogue(), text: text)
            return nil
        } catch {
            _ = error.description
            guard let offset = error.offset else { return nil }
            return (0...text.utf8.count).contains(offset) ? nil : "a place outside: \(offset)"
        }
    }

    static func seeds() throws -> [[UInt8]] {
        try QuerySeeds.texts().map { Array($0.utf8) }
    }
}

/// Any JSON is a query of the JSON form or an error; what was parsed is written as JSON that parses as
/// the same query, and can be checked.
enum QueryTrees: FuzzTarget {
    static let name = "query-json"

    static func violation(of input: [UInt8]) -> String? {
        guard let json = try? JSON(parsing: input) else { return nil }
        guard let statement = try? QueryStatement(json: json) else { return nil }
        let written = statement.json
        guard let again = try? QueryStatement(json: written) else {
            let text = (try? written.canonicalBytes()) ?? []
            return text.count > 200
                ? nil : "our own tree is refused: \(String(decoding: text, as: UTF8.self))"
        }
        if again.json != written { return "comes back changed: \(statement.sql)" }
        _ = try? statement.checked(against: AnyCatalogue())
        return nil
    }

    static func seeds() throws -> [[UInt8]] {
        try QuerySeeds.texts().compactMap { text in
            try? QueryStatement(sql: text).json.canonicalBytes()
        }
    }
}

private enum QuerySeeds {
    static func texts() throws -> [String] {
        let files = [
            "collation", "dates", "errors", "fts", "functions", "joins", "select", "values",
        ]
        return try files.flatMap { file in
            let json = try Fixtures.json("DivanQuery", "vectors/\(file).json")
            return (json["cases"]?.array ?? []).compactMap { $0["sql"]?.string }
        }
    }
}

private struct AnyCatalogue: QueryCatalogue {
    let databaseName: ExactText = "db"

    func hasCollection(_ collection: QueryCollection) -> Bool { true }

    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { true }
}

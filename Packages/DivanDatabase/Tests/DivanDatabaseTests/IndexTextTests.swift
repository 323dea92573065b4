import DivanFullText
import DivanJSON
import DivanQuery
import DivanSQL
import DivanTestKit
import Testing

@testable import DivanDatabase
// The record of an index is what a file keeps; no public call shows it.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// The texts of an index in a file decide whether SQLite uses it, and whether the same index is made again.
@Suite struct IndexTextTests {
    @Test func `each index has the texts that files of version 0.1 have`() throws {
        let file = try JSON(parsing: Fixture("index-texts.json").bytes())
        let indexes = try #require(file.array)
        #expect(indexes.count > 140)
        for index in indexes {
            let name = ExactText(try #require(index["name"]?.string))
            let record = try #require(index["record"])
            let definition = try definition(of: index)
            let translation = try SQLIndexTranslation(
                definition,
                name: name,
                table: "docs_1",
                documents: .stored
            )
            let source = record["source"]?.string ?? ""
            let made = IndexRecord(name, definition.kind, source: source, translation)
            let expected = try record.canonicalBytes()
            #expect(made.value == expected, "\(String(decoding: made.value, as: UTF8.self))")
            #expect(made.renewed == made)
        }
    }

    private func definition(of index: JSON) throws -> QueryIndexDefinition {
        let texts = (index["keys"]?.array ?? []).compactMap(\.string)
        let expressions = try texts.map { try QueryExpression(sql: $0) }
        let filter = try index["where"]?.string.map {
            try QueryExpression(sql: $0).checked(over: .standard)
        }
        if let paths = try index["paths"]?.array.map({ try $0.map(path) }) {
            let keys = try expressions.map {
                try $0.checkedKey(over: .standard, itemPaths: paths)
            }
            return .array(paths, keys)
        }
        guard let language = index["language"]?.string else {
            return .value(
                try expressions.map { try $0.checkedKey(over: .standard) },
                filter: filter
            )
        }
        let columns = try expressions.map { expression in
            QueryIndexDefinition.FullTextColumn(
                name: ExactText(expression.sql.replacing("`", with: "")),
                try expression.checked(over: .standard)
            )
        }
        let tokenizer = FullText.tokenizer(
            language: language,
            ignoresAccents: index["ignoresAccents"]?.bool ?? false
        )
        return .fullText(columns, tokenizer: tokenizer, filter: filter)
    }

    private func path(_ json: JSON) throws -> QueryPath {
        let written = try QueryExpression(sql: json.string ?? "")
        guard case .property(let path) = written.form else {
            throw QueryError("no path: \(json.string ?? "")")
        }
        return path
    }
}

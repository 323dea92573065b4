import DivanQuery
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    private let catalogue = VectorCatalogue()

    @Test func `the README example works`() throws {
        let text = "SELECT name FROM shop.chairs WHERE price < $most"
        let statement = try QueryStatement(sql: text)
        print(statement.sql, statement.json)  // the same query, printed
        let meaning = try statement.checked(against: catalogue, text: text)
        print(meaning.columns.map(\.title), meaning.parameters)  // [name] [most]

        #expect(meaning.columns.map { "\($0.title)" } == ["name"])
        #expect(meaning.parameters.map { "\($0)" } == ["most"])
    }
}

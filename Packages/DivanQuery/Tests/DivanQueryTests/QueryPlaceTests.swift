import DivanQuery
import Testing

@Suite struct QueryPlaceTests {
    @Test func aPlaceCountsLinesAndBytes() {
        let text = "SELECT ä\nFROM _"
        let first = QueryPlace(offset: 7).lineAndColumn(in: text)
        #expect(first == (1, 8))
        let second = QueryPlace(offset: 15).lineAndColumn(in: text)
        #expect(second == (2, 6))
    }

    @Test func anErrorShowsItsPlace() {
        let error = QueryError("unknown function", at: QueryPlace(offset: 2), in: "a b")
        #expect(error.description == "line 1, column 3: unknown function")
        #expect(QueryError("no place").description == "no place")
    }
}

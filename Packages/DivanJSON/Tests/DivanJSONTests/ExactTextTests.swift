import DivanJSON
import Testing

@Suite struct ExactTextTests {
    @Test func `texts are equal only if their bytes are equal`() {
        let spellings: [ExactText] = ["\u{212B}", "\u{C5}", "A\u{30A}"]
        #expect(Set(spellings).count == 3)
        #expect(spellings.sorted() == ["A\u{30A}", "\u{C5}", "\u{212B}"])
        #expect(ExactText("a" + "b") == "ab")
        #expect(ExactText("").description.isEmpty)
    }

    @Test func `adjacent parts of a composite key do not run together`() {
        struct Pair: Hashable {
            let first: ExactText
            let second: ExactText
        }
        // Without an end mark, the bytes that Hasher sees would be the same for both.
        let pairs: Set = [Pair(first: "ab", second: "c"), Pair(first: "a", second: "bc")]
        #expect(pairs.count == 2)
        #expect(pairs.first?.hashValue != pairs.dropFirst().first?.hashValue)
    }

    /// The object's own order and look-up, unchanged since the first version; merges, deltas and
    /// bodies rely on them.
    @Test func `an object keeps canonically equivalent keys apart`() throws {
        let text = "{\"A\u{30A}\":1,\"\u{C5}\":2,\"\u{212B}\":3}"
        let object = try #require(try JSON(parsing: Array(text.utf8)).object)
        #expect(object.count == 3)
        #expect(object["\u{212B}"]?.int == 3 && object["A\u{30A}"]?.int == 1)
        #expect(try JSON.object(object).canonicalBytes() == Array(text.utf8))
    }
}

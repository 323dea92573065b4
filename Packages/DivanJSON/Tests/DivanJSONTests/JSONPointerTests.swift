import DivanJSON
import Testing

@Suite struct JSONPointerTests {
    private static let document: JSON = [
        "pages": [["scan": 1], ["scan": 2]], "a/b": 3, "m~n": 4, "": 5, "~1": 6,
    ]

    @Test(arguments: [
        ("/pages/1/scan", 2), ("/a~1b", 3), ("/m~0n", 4), ("/", 5), ("/~01", 6),
    ])
    func `a pointer finds its value`(text: String, number: Int) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(Self.document[pointer]?.int == Int64(number))
    }

    @Test func `the empty pointer refers to the whole document`() throws {
        #expect(Self.document[try #require(JSONPointer(""))] == Self.document)
    }

    @Test(arguments: [
        "/pages/2", "/pages/scan", "/pages/0/scan/deeper", "/nowhere", "/pages/-1", "/pages/01",
        "/pages/+1", "/pages/-0",
    ])
    func `a pointer to a missing value finds nothing`(text: String) throws {
        #expect(Self.document[try #require(JSONPointer(text))] == nil)
    }

    @Test(arguments: ["pages", "pages/0", "~1pages"])
    func `text without a leading slash is not a pointer`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    /// A combining character forms one character with the slash or tilde before it.
    @Test(arguments: ["a/b", "m~n", "~1", "~", "/", "", "\u{301}", "/\u{301}", "~\u{301}0", "é"])
    func `a key is escaped and unescaped without change`(key: String) throws {
        let pointer = try #require(JSONPointer("/x/" + JSONPointer.step(to: key)))
        #expect(pointer.steps.count == 2)
        #expect(Array(pointer.steps[1].utf8) == Array(key.utf8))
    }

    @Test func `a tilde that escapes nothing is literal`() throws {
        #expect(try #require(JSONPointer("/~2/a~")).steps == ["~2", "a~"])
    }
}

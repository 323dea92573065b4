import DivanJSON
import Testing

@Suite struct JSONPointerTests {
    private static let document: JSON = [
        "pages": [["scan": 1], ["scan": 2]], "a/b": 3, "m~n": 4, "": 5, "~1": 6,
    ]

    @Test(arguments: [
        ("/pages/1/scan", 2), ("/a~1b", 3), ("/m~0n", 4), ("/", 5), ("/~01", 6),
    ])
    func `a pointer leads to a value`(text: String, number: Int) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(Self.document[pointer]?.int == Int64(number))
    }

    @Test func `the empty pointer is the document`() throws {
        #expect(Self.document[try #require(JSONPointer(""))] == Self.document)
    }

    @Test(arguments: [
        "/pages/2", "/pages/scan", "/pages/0/scan/deeper", "/nowhere", "/pages/-1", "/pages/01",
        "/pages/+1", "/pages/-0",
    ])
    func `a way that is not there leads to nothing`(text: String) throws {
        #expect(Self.document[try #require(JSONPointer(text))] == nil)
    }

    @Test(arguments: ["pages", "pages/0", "~1pages"])
    func `a text without a slash in front is no pointer`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    /// A combining character forms one character with the slash or tilde before it.
    @Test(arguments: ["a/b", "m~n", "~1", "~", "/", "", "\u{301}", "/\u{301}", "~\u{301}0", "é"])
    func `a key comes back out of its step`(key: String) throws {
        let pointer = try #require(JSONPointer("/x/" + JSONPointer.step(to: key)))
        #expect(pointer.steps.count == 2)
        #expect(Array(pointer.steps[1].utf8) == Array(key.utf8))
    }

    @Test func `a tilde that escapes nothing stands for itself`() throws {
        #expect(try #require(JSONPointer("/~2/a~")).steps == ["~2", "a~"])
    }
}

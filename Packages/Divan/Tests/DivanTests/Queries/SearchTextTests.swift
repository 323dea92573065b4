import Divan
import DivanTestKit
import Foundation
import Testing

/// Full-text search: the order of the results, and text that users enter.
@Suite struct SearchTextTests {
    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
        try notes.createIndex("words", .text("title"))
        let titles = [
            "a": "red bread", "b": "red red red", "c": "well known bread", "d": "known well",
            "e": "salt OR pepper",
        ]
        for (id, title) in titles { try notes.save(Note(id: id, title: title)) }
    }

    private func ids(_ text: String) throws -> [String] {
        try notes.documents(of: Note.self, orderBy: .byID)
            .matching(text, index: "words", isRanked: false).ids()
    }

    private func found(_ input: String, completing: Bool = false) throws -> [String] {
        try ids(Index.searchText(escaping: input, completing: completing))
    }

    @Test func `explain shows that the path of an index leads through an array`() throws {
        try notes.save(Document(id: "f", ["items": [["name": "pen"]], "maker": ["name": "Bo"]]))
        try notes.createIndex(
            "through",
            .text("items.name", "maker.name", where: "title IS MISSING")
        )
        try notes.createIndex("whole", .text("items"))
        func explain(_ index: String) throws -> String {
            try notes.documents(of: Document.self).matching("pen", index: index).explain()
        }
        let note = """
            note: index through finds nothing in items.name where items is an array; \
            index items to find all texts in it
            """
        #expect(
            try explain("through").components(separatedBy: "\n").filter { $0 == note }.count == 1
        )
        #expect(try !explain("through").contains("maker.name where"))
        #expect(try !explain("whole").contains("note:"))
        #expect(try notes.search("pen", index: "whole").map(\.id) == ["f"])
        #expect(try notes.search("pen", index: "through").isEmpty)
    }

    // MARK: Order

    @Test func `the best match is first, and equal ones are in the order of the query`() throws {
        let byTitle = notes.documents(of: Note.self, orderBy: .descending(\.title))
        #expect(try byTitle.matching("red", index: "words").ids() == ["b", "a"])
        #expect(try byTitle.matching("known", index: "words").ids() == ["c", "d"])
        let byID = notes.documents(of: Note.self, orderBy: .byID)
        #expect(try byID.matching("known", index: "words").all().map(\.id) == ["c", "d"])
        let unranked = byID.matching("red", index: "words", isRanked: false)
        #expect(try unranked.all().map(\.id) == ["a", "b"])
    }

    @Test func `matches are read page by page in the order of the query, not of their rank`() throws
    {
        let byID = notes.documents(of: Note.self, orderBy: .byID)
        let first = try byID.matching("bread OR known", index: "words", isRanked: false)
            .page(of: 2)
        #expect(first.documents.map(\.id) == ["a", "c"])
        let second = try byID.matching("bread OR known", index: "words", isRanked: false)
            .page(of: 2, after: first.next)
        #expect(second.documents.map(\.id) == ["d"])
        expect(.invalidArgument) { _ = try byID.matching("red", index: "words").page(of: 2) }
    }

    // MARK: Input

    @Test(arguments: [
        ("red", ["a", "b"]), ("bread red", ["a"]), ("milk NOT bread", []),
        ("salt OR pepper", ["e"]), ("milk OR red", []), ("\"red", ["a", "b"]),
        ("red)", ["a", "b"]), ("(red", ["a", "b"]), ("^bread", ["a", "c"]), ("re*", []),
        ("title:red", []), ("well-known", ["c"]), ("AND", []), ("NOT", []), ("-- !", []),
        ("", []), ("\u{0}red\u{0}", ["a", "b"]),
    ])
    func `an input is searched word by word, without operators`(
        _ input: String,
        _ expected: [String]
    ) throws {
        #expect(try found(input) == expected)
    }

    @Test func `the last word can be the beginning of a word`() throws {
        #expect(try found("bread kno", completing: true) == ["c"])
        #expect(try found("kno bread", completing: true) == [])
        #expect(try found("re", completing: true) == ["a", "b"])
        #expect(try found("", completing: true) == [])
        #expect(Index.searchText(escaping: "red \"br", completing: true) == "\"red\" \"br*\"")
        #expect(Index.searchText(escaping: "red\u{3000}bread\u{A0}a") == "\"red\" \"bread\" \"a\"")
        // A mark belongs to the quotation mark before it, but the quotation mark is removed.
        #expect(Index.searchText(escaping: "\"\u{301}red") == "\"\u{301}red\"")
    }

    @Test func `no input is an invalid query`() throws {
        let pieces = [
            "a", "OR", "AND", "NOT", "NEAR", "NEAR/2", "\"", "*", "(", ")", "^", ":", " ",
            "\u{301}",
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let count = Int.random(in: 0...8, using: &random)
            let input = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }
                .joined()
            for completing in [false, true] {
                #expect(throws: Never.self, "\(input), seed \(seed)") {
                    try found(input, completing: completing)
                }
            }
        }
    }
}

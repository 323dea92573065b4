import Testing

@testable import DivanCheck

/// Dictionaries and sets keyed by text are found, each with a reason or not at all.
@Suite struct KeysCheckTests {
    private static let path = "Packages/DivanJSON/Sources/DivanJSON/A.swift"

    private func places(
        _ text: String,
        in path: String = Self.path,
        exceptions: String = ""
    ) throws -> [String] {
        let checkout = try Checkout()
        try checkout.write(path, text)
        return try KeysCheck(tree: checkout.tree, exceptions: exceptions).violations().map(\.place)
    }

    @Test(arguments: [
        "var underway: [String: Int] = [:]", "let wanted: Set<String>",
        "let table: Dictionary<String, Int>", "func purge(_ documentID: String) {}",
        "let found: [String: Any]",
    ])
    func `a String used as a dictionary key or ID is found`(code: String) throws {
        #expect(try places("// a line\n\(code)\n") == ["\(Self.path):2"])
    }

    @Test(arguments: [
        "var underway: [DocumentID: Int] = [:]", "let wanted: Set<ExactText>",
        "// not a [String: Int] any more", "let documentID: DocumentID", "let names: [String]",
    ])
    func `a key type with exact equality passes`(code: String) throws {
        #expect(try places(code + "\n").isEmpty)
    }

    @Test func `the official types of the public API pass, other String keys do not`() throws {
        let path = "Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/A.swift"
        #expect(try places("let documentID: String\nlet a: [String: Any]\n", in: path).isEmpty)
        #expect(try places("let a: [String: Int]\n", in: path) == ["\(path):1"])
    }

    @Test func `an exception excuses its own line, and is reported once it is unused`() throws {
        let exception = "A.swift | a: [String: Int] | constants"
        let text = "let a: [String: Int]\nlet b: [String: Int]\n"
        #expect(try places(text, exceptions: exception) == ["\(Self.path):2"])
        #expect(try places("let b = 1\n", exceptions: exception) == ["A.swift"])
    }
}

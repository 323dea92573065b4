import Testing

@testable import DivanCheck

/// What pages say about the code, against the code.
@Suite struct PageViolationTests {
    private let page = "Packages/DivanJSON/README.md"

    private func checkout(limits: String) throws -> Checkout {
        let checkout = try Checkout()
        // In a file of any name, and nested in a type.
        try checkout.write(
            "Packages/DivanJSON/Sources/DivanJSON/A.swift",
            "extension JSON {\n    public struct Limits: Sendable {\n\(limits)\n    }\n}\n"
        )
        return checkout
    }

    @Test(arguments: [
        ("public var count = 1_000", "1,000", "100"),
        ("public var count = 20 << 20", "20 MiB", "20"),
        ("public var wait: Duration = .seconds(90)", "90 s", "9 s"),
        ("public static let seconds = 2 * 3600", "2 h", "1 h"),
        (
            "public var count: Int\n        init(\n            count: Int = 10_000\n        ) {}",
            "10 000, at least", "1 000"
        ),
    ])
    func `a default value that differs from the README is found`(
        member: String,
        right: String,
        wrong: String
    ) throws {
        let checkout = try checkout(limits: "        " + member)
        let name = ["count", "wait", "seconds"].first { member.contains(" " + $0) } ?? ""
        let head = "All in `Limits`.\n\n| limit | default |\n|---|---|\n| `\(name)` | "
        try checkout.write(page, "\n" + head + right + " |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write(page, "\n" + head + wrong + " |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().map(\.place) == ["\(page):6"])
    }

    @Test(arguments: ["`Limits.gone`", "`gone`", "`Limits.count`", "`count`"])
    func `a README row for a missing or duplicate limit is found`(_ cell: String) throws {
        let checkout = try checkout(limits: "        public var count = 1")
        let name = cell.contains(".") ? "`Limits.count`" : "`count`"
        let head = "\nAll in `Limits`.\n\n| limit | default |\n|---|---|\n| \(name) | 1 |\n"
        // A constant of another type is not a member.
        try checkout.write(page, head + "| `Clock.tolerance`, `Budget` | 2 |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write(page, head + "| \(cell) | 1 |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().map(\.place) == ["\(page):7"])
    }

    @Test func `a core that uses the system's random source is found`() throws {
        let checkout = try Checkout()
        let folder = "Packages/DivanWebSocket/Sources/DivanWebSocket"
        let handedIn = "    public var random: any RandomSource = SystemRandomSource()\n"
        try checkout.write("\(folder)/WebSocketConnection.swift", handedIn)
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
        let taken = "    let key = SystemRandomSource().bytes(4)\n"
        try checkout.write("\(folder)/WebSocketConnection.swift", handedIn + taken)
        try checkout.write("\(folder)/Masking.swift", handedIn)
        #expect(
            try WordsCheck(tree: checkout.tree).violations().map(\.place) == [
                "\(folder)/Masking.swift:1", "\(folder)/WebSocketConnection.swift:2",
            ]
        )
    }

    @Test func `a name in the code that the glossary replaces is found`() throws {
        let checkout = try Checkout()
        let path = "Packages/DivanJSON/Sources/DivanJSON/A.swift"
        let code = "struct RevisionDoc {\n    var docs: Int  // docs\n    let text = \"doc\"\n}\n"
        try checkout.write(path, code)
        let check = GlossaryCheck(tree: checkout.tree)
        #expect(try check.violations().isEmpty, "there is no glossary yet")
        let rows = "| not | but |\n|---|---|\n| `doc`, `docs` | document |\n"
        try checkout.write("Docs/glossary.md", rows)
        #expect(try check.violations().map(\.place) == ["\(path):1", "\(path):2"])
        try checkout.write(path, "struct Docker {\n    func documents(inDock: Int) {}\n}\n")
        #expect(try check.violations().isEmpty)
    }
}

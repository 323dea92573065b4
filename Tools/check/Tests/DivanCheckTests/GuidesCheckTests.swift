import Testing

@testable import DivanCheck

/// A block of a guide that no test covers is found.
@Suite struct GuidesCheckTests {
    private static let page = "Docs/guides/blobs.md"

    /// A checkout with a page of these lines, and a test that claims its blocks labelled `sh`.
    private func checkout(_ lines: String...) throws -> Checkout {
        let checkout = try Checkout()
        try checkout.write(Self.page, lines.joined(separator: "\n") + "\n")
        try checkout.write(
            "Tools/command/Tests/DivanCommandTests/GuideCommandTests.swift",
            "let guide = try Guide(\n    \"blobs.md\",\n    runs: \"sh\"\n)\n"
        )
        try checkout.write(
            "Docs/examples/Tests/GuideTests/Blobs.swift",
            "struct Album {\n    func keep() {\n        save()\n    }\n}\n"
        )
        return checkout
    }

    @Test func `blocks that tests run or compile pass, and so do data blocks`() throws {
        let checkout = try checkout(
            "```sh",
            "divan new album",
            "```",
            "```swift",
            "func keep() {",
            "    save()",
            "}",
            "```",
            "```json serve",
            "{}",
            "```"
        )
        #expect(try ExamplesCheck(tree: checkout.tree).violations() == [])
    }

    @Test(arguments: ["sh served", "console", "bash", "swift manifest"])
    func `a block that no test runs is found`(label: String) throws {
        let checkout = try checkout("```sh", "ls", "```", "", "```\(label)", "ls", "```")
        let violations = try ExamplesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["\(Self.page):5"])
        #expect(violations.first?.problem == "no test runs the block")
    }

    @Test func `a guide without a test is found`() throws {
        let checkout = try checkout("```sh", "ls", "```")
        try checkout.write("Docs/guides/new.md", "```sh\nls\n```\n")
        let violations = try ExamplesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["Docs/guides/new.md:1"])
    }

    @Test func `a Swift block that differs from the compiled source is found`() throws {
        let checkout = try checkout("```sh", "ls", "```", "```swift", "func keep() {}", "```")
        let violations = try ExamplesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["\(Self.page):4"])
        #expect(violations.first?.problem == "no test compiles the block, line by line")
    }

    @Test func `a block without a language is found`() throws {
        let checkout = try checkout("```sh", "ls", "```", "```", "divan ls", "```")
        #expect(
            try ExamplesCheck(tree: checkout.tree).violations().map(\.place) == ["\(Self.page):4"]
        )
    }

    @Test func `a block can say why no test runs it`() throws {
        let excuse = "*Not run by the tests: it needs Docker.*"
        let checkout = try checkout(
            "```sh",
            "ls",
            "```",
            excuse,
            "",
            "```sh docker",
            "docker run divan",
            "```",
            "```sh docker",
            "docker ps",
            "```"
        )
        #expect(
            try ExamplesCheck(tree: checkout.tree).violations().map(\.place) == ["\(Self.page):9"]
        )
    }

    @Test func `a test that runs a missing block is found`() throws {
        let checkout = try checkout("Nothing is run here.")
        let violations = try ExamplesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["blobs.md has no block \"sh\" to run"])
    }
}

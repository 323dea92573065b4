import Testing

@testable import DivanCheck

/// Examples on the front page of a package.
@Suite struct ExamplesCheckTests {
    private static let test = "Packages/DivanJSON/Tests/DivanJSONTests/ReadmeTests.swift"

    private func checkout(showing block: String) throws -> Checkout {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/README.md", "## Use\n```swift\n\(block)\n```\n")
        return checkout
    }

    @Test func `a README example that no test contains is found`() throws {
        let checkout = try checkout(showing: "let a = make(1)\nuse(a)")
        try checkout.write(Self.test, "let a = make(1)\nlook(a)\n")
        let found = try ExamplesCheck(tree: checkout.tree).violations()
        #expect(found.map(\.place) == ["Packages/DivanJSON/README.md:2"])
        try checkout.write(Self.test, "use(a)\nlet a = make(1)\n")
        #expect(try ExamplesCheck(tree: checkout.tree).violations().count == 1, "in the same order")
    }

    @Test func `a test can format an example differently and add checks`() throws {
        let checkout = try checkout(
            showing: """
                import A

                let a = make(1,  // one
                    of: "b")
                while go { a.use(); stop() }
                """
        )
        try checkout.write(
            Self.test,
            """
            import A
            func test() {
                let a = make(
                    1,
                    of: "b",
                )
                #expect(a.isMade)
                while go {
                    a.use()
                    stop()
                }
            }
            """
        )
        #expect(try ExamplesCheck(tree: checkout.tree).violations().isEmpty)
    }
}

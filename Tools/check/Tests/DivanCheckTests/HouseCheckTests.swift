import DivanCheck
import Testing

/// The structure of the code: each rule has a number that may only fall.
@Suite struct HouseCheckTests {
    private static let folder = "Packages/DivanJSON/Sources/DivanJSON"

    @Test func `a property that all may set, and an extension in another file uses, is counted`()
        throws
    {
        let checkout = try Checkout()
        #expect(try SpansCheck(checkout.tree, ceiling: 0).violations().isEmpty)
        try checkout.write(
            "\(Self.folder)/A.swift",
            """
            struct A {
                var open = 0  // used there
                let limit: Int
                private var own = 0
                private(set) var shown = 0
                public var offered = 0
                var unused = 0
                var double: Int { open * 2 }
                var isObserved = false {
                    didSet { own += 1 }
                }
            }
            """
        )
        try checkout.write(
            "\(Self.folder)/A+More.swift",
            """
            extension A {
                func more() -> Int { open + limit + shown + offered + double }
                func tell() { print("unused", isObserved) }
            }
            extension A.Nested {
                func nested() { print(unused) }
            }
            """
        )
        #expect(try SpansCheck(checkout.tree, ceiling: 2).violations().isEmpty)
        let more = try SpansCheck(checkout.tree, ceiling: 1).violations()
        #expect(more.map { $0.remedy.contains("A (isObserved, open)") } == [true])
        let fewer = try SpansCheck(checkout.tree, ceiling: 3).violations()
        #expect(fewer.map(\.remedy) == ["lower the count to 2"])
    }

    @Test func `files that name each other's types in a circle are counted`() throws {
        let checkout = try Checkout()
        try checkout.write("\(Self.folder)/A.swift", "struct A { var b: B? }\n")
        try checkout.write("\(Self.folder)/B.swift", "final class B { var c: C? }\n")
        try checkout.write("\(Self.folder)/C.swift", "enum C { case none }  // not A\n")
        #expect(try CirclesCheck(checkout.tree, ceiling: (0, 0)).violations().isEmpty)
        try checkout.write("\(Self.folder)/C.swift", "enum C { case one([A]) }\n")
        #expect(try CirclesCheck(checkout.tree, ceiling: (1, 3)).violations().isEmpty)
        #expect(try CirclesCheck(checkout.tree, ceiling: (1, 2)).violations().count == 1)
        #expect(try CirclesCheck(checkout.tree, ceiling: (2, 5)).violations().count == 1)
    }

    @Test func `a private type and one of another module name nobody's file`() throws {
        let checkout = try Checkout()
        try checkout.write(
            "\(Self.folder)/A.swift",
            "struct A { var b: B? }\nprivate enum Place {}\n"
        )
        try checkout.write(
            "\(Self.folder)/B.swift",
            "struct B { enum Place {}; var a: DivanOther.A?; var s: Swift.A? }\n"
        )
        #expect(try CirclesCheck(checkout.tree, ceiling: (0, 0)).violations().isEmpty)
        try checkout.write("\(Self.folder)/B.swift", "struct B { var a: (DivanOther.C, A)? }\n")
        #expect(try CirclesCheck(checkout.tree, ceiling: (1, 2)).violations().isEmpty)
    }

    @Test func `a file of the command that reaches below the public API is counted`() throws {
        let checkout = try Checkout()
        let file = "Tools/command/Sources/DivanCommand/A.swift"
        try checkout.write(file, "import Divan\n\n// import DivanStore\n")
        #expect(try FloorsCheck(checkout.tree, ceiling: 0).violations().isEmpty)
        try checkout.write(file, "import Divan\ninternal import DivanStore\n")
        #expect(try FloorsCheck(checkout.tree, ceiling: 0).violations().count == 1)
        let fewer = try FloorsCheck(checkout.tree, ceiling: 2).violations()
        #expect(fewer.map(\.remedy) == ["lower the count to 1"])
    }
}

/// Examples on the front page of a package.
@Suite struct ReadmesCheckTests {
    private static let test = "Packages/DivanJSON/Tests/DivanJSONTests/ReadmeTests.swift"

    private func checkout(showing block: String) throws -> Checkout {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/README.md", "## Use\n```swift\n\(block)\n```\n")
        return checkout
    }

    @Test func `an example that no test holds is found`() throws {
        let checkout = try checkout(showing: "let a = make(1)\nuse(a)")
        try checkout.write(Self.test, "let a = make(1)\nlook(a)\n")
        let found = try ReadmesCheck(checkout.tree).violations()
        #expect(found.map(\.place) == ["Packages/DivanJSON/README.md:2"])
        try checkout.write(Self.test, "use(a)\nlet a = make(1)\n")
        #expect(try ReadmesCheck(checkout.tree).violations().count == 1, "in the same order")
    }

    @Test func `a test may lay it out otherwise, and check between the lines`() throws {
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
        #expect(try ReadmesCheck(checkout.tree).violations().isEmpty)
    }
}

import Testing

@testable import DivanTestKit

@Suite struct TestSeedTests {
    @Test func `a test's own seed depends on its names only`() {
        let seed = TestSeed.own(test: "a", file: "F/G.swift")
        #expect(seed == TestSeed.own(test: "a", file: "F/G.swift"))
        #expect(seed != TestSeed.own(test: "b", file: "F/G.swift"))
        #expect(seed != TestSeed.own(test: "a", file: "F/H.swift"))
    }

    @Test func `a seed is below its limit`() {
        #expect(TestSeed.choose(below: 1) == 0)
    }
}

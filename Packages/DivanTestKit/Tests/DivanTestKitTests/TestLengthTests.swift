import Testing

@testable import DivanTestKit

/// The usual and the long run of tests with many seeds.
@Suite struct TestLengthTests {
    @Test(arguments: [nil, "", "0"] as [String?])
    func `a run is short unless it is asked to be long`(variable: String?) {
        #expect(!TestLength.isLong(in: variable))
    }

    @Test(arguments: ["1", "yes"]) func `any other value makes a run long`(variable: String) {
        #expect(TestLength.isLong(in: variable))
    }

    @Test func `a value is that of this run`() {
        #expect(TestLength.of(3, long: 30) == (TestLength.isLong ? 30 : 3))
    }
}

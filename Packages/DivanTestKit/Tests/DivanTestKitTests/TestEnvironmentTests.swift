import Dispatch
import DivanPlatform
import DivanTestKit
import Testing

/// Variables that are set while other threads read them.
@Suite struct TestEnvironmentTests {
    @Test func `environment variables can be read while they are set`() {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                guard thread == 0 else {
                    _ = CurrentProcess.variable("DIVAN_NOBODY_SETS_THIS")
                    continue
                }
                if number < 200 { TestEnvironment.set("DIVAN_TEST_\(number)", "\(number)") }
            }
        }
        #expect(CurrentProcess.variable("DIVAN_TEST_7") == "7")
        TestEnvironment.set("DIVAN_TEST_7", "seven")
        #expect(CurrentProcess.variable("DIVAN_TEST_7") == "seven")
        for number in 0..<200 { TestEnvironment.set("DIVAN_TEST_\(number)", nil) }
        #expect(CurrentProcess.variable("DIVAN_TEST_7") == nil)
    }
}

import Dispatch
import DivanTestKit
import Glibc
import Testing

/// Variables that are set while other threads read them.
@Suite struct SurroundingsTests {
    @Test func `environment variables can be read while they are set`() {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                guard thread == 0 else {
                    _ = getenv("DIVAN_NOBODY_SETS_THIS")
                    continue
                }
                if number < 200 { Surroundings.set("DIVAN_TEST_\(number)", "\(number)") }
            }
        }
        #expect(getenv("DIVAN_TEST_7").map { String(cString: $0) } == "7")
        Surroundings.set("DIVAN_TEST_7", "seven")
        #expect(getenv("DIVAN_TEST_7").map { String(cString: $0) } == "seven")
        for number in 0..<200 { Surroundings.set("DIVAN_TEST_\(number)", nil) }
        #expect(getenv("DIVAN_TEST_7") == nil)
    }
}

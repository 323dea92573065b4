import Testing

// The clock is passed in, which no option of the command does.
@testable import DivanCommand

@Suite struct EvictionReporterTests {
    @Test func `closed connections are reported at most every ten seconds, and all are counted`() {
        let begin = ContinuousClock.now
        var reporter = EvictionReporter(isOverHTTP: true)
        #expect(reporter.report(of: 0, at: begin) == nil)
        #expect(reporter.report(of: 3, at: begin)?.count == 3)
        for second in 1..<10 {
            #expect(reporter.report(of: 3 + UInt64(second), at: begin + .seconds(second)) == nil)
        }
        #expect(reporter.report(of: 20, at: begin + .seconds(10))?.count == 17)
        #expect(reporter.report(of: 20, at: begin + .seconds(60)) == nil)
    }
}

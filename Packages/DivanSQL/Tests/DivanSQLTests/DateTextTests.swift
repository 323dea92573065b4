import DivanPlatform
import DivanSQL
import DivanTestKit
import Testing

@Suite struct DateTextTests {
    @Test(arguments: [
        ("2018-03-06T12:34:56.789Z", 1_520_339_696_789),
        ("2018-03-06 12:34:56Z", 1_520_339_696_000),
        ("2018-03-06T12:34Z", 1_520_339_640_000), ("2018-03-06T14:34:56+02:00", 1_520_339_696_000),
        ("2018-03-06T04:04:56-0830", 1_520_339_696_000), ("2000-02-29", 951_782_400_000),
        ("2018-03-06 12:34:56 Z ", 1_520_339_696_000),
        ("2018-03-06T12:34:56.5z", 1_520_339_696_500),
        ("2018-03-06T24:00Z", 1_520_380_800_000), ("2018-03-06T", 1_520_294_400_000),
        ("2018-03-07T02:34:56+14:00", 1_520_339_696_000),
        ("-0001-01-01T00:00Z", -62_198_755_200_000),
        ("2018-03-06 T 12:34:56Z", 1_520_339_696_000), ("2018-03-06T12:34", 1_520_339_640_000),
        ("2018-03-06\t12:34:56.00009Z", 1_520_339_696_000),
    ])
    func `every form that the date functions accept is parsed`(text: String, milliseconds: Int64) {
        #expect(DateText.milliseconds(text, isLocal: false) == milliseconds)
    }

    @Test(arguments: [
        (".1234567Z", 123), (".1235Z", 124), (".9995Z", 1_000), (".0004999Z", 0), (".07Z", 70),
    ])
    func `a fraction of a second is rounded to milliseconds`(fraction: String, milliseconds: Int64)
    {
        let text = "1970-01-01T00:00:00" + fraction
        #expect(DateText.milliseconds(text, isLocal: false) == milliseconds)
    }

    @Test(arguments: [
        "", "2018", "2018-3-6", "2018-02-29", "2018-13-01", "2018-00-10", "2018-01-00",
        "2018-03-06T24:01", "2018-03-06T24:00:00.001", "2018-03-06T25:00", "2018-03-06T12:60",
        "2018-03-06T12:34:60", "2018-03-06t12:34", "2018-03-06T12:34:56+01", "2018-03-06Z",
        "2018-03-06T12:34:56.", "2018-03-06T12:34:56Zx", " 2018-03-06", "2018-03-06T12:34+1",
        "tomorrow", "+018-03-06", "2018-03-06T12:34:56+15:00", "--2018-03-06", "-018-03-06",
        "12:34:56", "2018-03-06\0",
    ])
    func `an invalid date is rejected`(_ text: String) {
        #expect(DateText.milliseconds(text, isLocal: false) == nil)
    }

    @Test func `text without a time zone is local time if requested`() async {
        await #expect(processExitsWith: .success) {
            CurrentProcess.setVariable("TZ", "Asia/Kolkata")
            let hours = 5.5 * 3_600_000
            let isAhead = ["1970-01-01", "1970-01-01T00:00", "2018-07-06 12:34:56.789"].allSatisfy {
                guard let local = DateText.milliseconds($0, isLocal: true),
                    let utc = DateText.milliseconds($0, isLocal: false)
                else { return false }
                return Double(utc - local) == hours
            }
            let zoned = DateText.milliseconds("1970-01-01T01:00:00Z", isLocal: true)
            CurrentProcess.exit(isAhead && zoned == 3_600_000 ? 0 : 1)
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `a time written by SQL is parsed back`(seed: UInt64) throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let milliseconds = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999,
                using: &generator
            )
            let text = try scratch.value("divan_millis_to_utc1(\(milliseconds))")
                .trimmingPrefix("'").dropLast()
            let read = DateText.milliseconds(String(text), isLocal: false)
            #expect(read == milliseconds, "seed \(seed): \(text)")
        }
    }
}

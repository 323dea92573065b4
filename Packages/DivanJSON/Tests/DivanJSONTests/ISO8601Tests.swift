import DivanJSON
import DivanTestKit
import Testing

@Suite struct ISO8601Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_520_339_696.789, "2018-03-06T12:34:56.789Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
        (-2_203_891_200, "1900-03-01T00:00:00.000Z"), (0.0005, "1970-01-01T00:00:00.001Z"),
        (1e300, "9999-12-31T23:59:59.999Z"), (-.infinity, "0000-01-01T00:00:00.000Z"),
        (.nan, "1970-01-01T00:00:00.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
    ])
    func `writes a moment in UTC with milliseconds`(seconds: Double, text: String) {
        #expect(ISO8601.format(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        ("2018-03-06T12:34:56.789Z", 1_520_339_696.789), ("2018-03-06 12:34:56Z", 1_520_339_696),
        ("2018-03-06T12:34Z", 1_520_339_640), ("2018-03-06T14:34:56+02:00", 1_520_339_696),
        ("2018-03-06T04:04:56-0830", 1_520_339_696), ("2018-03-06 12:34:56 Z ", 1_520_339_696),
        ("2000-02-29", 951_782_400), ("2018-03-06T12:34:56.5z", 1_520_339_696.5),
        ("2018-03-06T24:00Z", 1_520_380_800), ("2018-03-07T02:34:56+14:00", 1_520_339_696),
        ("-0001-01-01T00:00Z", -62_198_755_200), ("2018-03-06 T 12:34:56Z", 1_520_339_696),
        ("2018-03-06T", 1_520_294_400), ("2018-03-06\t12:34:56.00009Z", 1_520_339_696),
    ])
    func `reads every form that the date functions of queries take`(text: String, seconds: Double) {
        #expect(ISO8601.parse(text) == seconds)
    }

    @Test(arguments: [
        (".1234567Z", 0.123), (".1235Z", 0.124), (".9995Z", 1), (".0004999Z", 0), (".07Z", 0.07),
    ])
    func `of a fraction milliseconds count, rounded`(fraction: String, seconds: Double) {
        #expect(ISO8601.parse("1970-01-01T00:00:00" + fraction) == seconds)
    }

    @Test func `takes a text without zone as local time`() {
        let berlin: (Double) -> Double = { $0 < 1_000_000_000 ? 3_600 : 7_200 }
        #expect(ISO8601.parse("1970-01-01T01:00:00", localOffset: berlin) == 0)
        #expect(ISO8601.parse("2018-03-06", localOffset: berlin) == 1_520_287_200)
        #expect(ISO8601.parse("1970-01-01T01:00:00Z", localOffset: berlin) == 3_600)
    }

    @Test(arguments: [
        "", "2018", "2018-3-6", "2018-02-29", "2018-13-01", "2018-00-10", "2018-01-00",
        "2018-03-06T24:01", "2018-03-06T24:00:00.001", "2018-03-06T25:00", "2018-03-06T12:60",
        "2018-03-06T12:34:60", "2018-03-06t12:34", "2018-03-06T12:34:56+01", "2018-03-06Z",
        "2018-03-06T12:34:56.", "2018-03-06T12:34:56Zx", " 2018-03-06", "2018-03-06T12:34+1",
        "tomorrow", "+018-03-06", "2018-03-06T12:34:56+15:00", "--2018-03-06", "-018-03-06",
    ])
    func `knows what is no date`(_ text: String) {
        #expect(ISO8601.parse(text) == nil)
    }

    @Test(arguments: UInt64(0)..<20)
    func `a written moment reads back`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let milliseconds = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999,
                using: &generator
            )
            let text = ISO8601.format(secondsSince1970: Double(milliseconds) / 1_000)
            let seconds = ISO8601.parse(text) ?? .nan
            #expect((seconds * 1_000).rounded() == Double(milliseconds), "seed \(seed): \(text)")
        }
    }
}

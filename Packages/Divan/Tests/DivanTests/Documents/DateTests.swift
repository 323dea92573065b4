import Divan
import Foundation
import Testing

/// `behaviour.md` §3: dates are strings.
@Suite struct DateTests {
    private let date = Date(timeIntervalSince1970: 1_520_339_696.789_6)

    @Test func `a date is stored as UTC text with milliseconds`() {
        let document = MutableDocument().setDate(date, forKey: "d")
        #expect(document.string(forKey: "d") == "2018-03-06T12:34:56.790Z")
        #expect(document.value(forKey: "d") is String)
    }

    @Test func `a round trip loses only what is below milliseconds`() throws {
        let document = MutableDocument(data: ["d": date])
        let read = try #require(document.date(forKey: "d"))
        #expect(abs(read.timeIntervalSince(date)) < 0.001)
        #expect(document.setDate(read, forKey: "d").date(forKey: "d") == read)
    }

    @Test(arguments: [
        ("2018-03-06T12:34:56.789Z", 1_520_339_696.789),
        ("2018-03-06T12:34:56Z", 1_520_339_696),
        ("2018-03-06 12:34:56Z", 1_520_339_696),
        ("2018-03-06T12:34Z", 1_520_339_640),
        ("2018-03-06T12:34:56+01:00", 1_520_336_096),
        ("2018-03-06T12:34:56-0800", 1_520_368_496),
        ("2018-03-06T00:00:00.5Z", 1_520_294_400.5),
    ])
    func `ISO 8601 with a zone reads as that moment`(_ text: String, _ seconds: Double) {
        let document = MutableDocument(data: ["d": text])
        #expect(document.date(forKey: "d") == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["2018-03-06", "2018-03-06T12:34:56", "2018-07-06 12:34"])
    func `without a zone it means local time`(_ text: String) throws {
        let read = try #require(MutableDocument(data: ["d": text]).date(forKey: "d"))
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour],
            from: read
        )
        #expect(parts.year == 2_018)
        #expect(parts.day == 6)
        #expect(parts.hour == (text.count > 10 ? 12 : 0))
    }

    @Test(arguments: [
        "", "yesterday", "2018", "2018-13-01", "2018-02-30", "12:34:56", "1520339696",
    ])
    func `what is no date gives nil`(_ text: String) {
        #expect(MutableDocument(data: ["d": text]).date(forKey: "d") == nil)
    }

    @Test func `a number is no date`() {
        #expect(MutableDocument(data: ["d": 1_520_339_696]).date(forKey: "d") == nil)
    }
}

import CouchbaseLiteSwift
import DivanPlatform
import Foundation
import Testing

/// `behaviour.md` §3: dates are strings.
@Suite struct DateTests {
    private let date = Date(timeIntervalSince1970: 1_520_339_696.789_6)

    @Test func `a date is stored as an ISO 8601 string in UTC with milliseconds`() {
        let document = MutableDocument().setDate(date, forKey: "d")
        #expect(document.string(forKey: "d") == "2018-03-06T12:34:56.790Z")
        #expect(document.value(forKey: "d") is String)
    }

    @Test func `a date is stored with millisecond precision`() throws {
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
    func `a time zone in a date string is respected`(_ text: String, _ seconds: Double) {
        let document = MutableDocument(data: ["d": text])
        #expect(document.date(forKey: "d") == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["2018-03-06", "2018-03-06T12:34:56", "2018-07-06 12:34"])
    func `a date string without a time zone is in local time`(_ text: String) throws {
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
    func `an invalid date string is read as nil`(_ text: String) {
        #expect(MutableDocument(data: ["d": text]).date(forKey: "d") == nil)
    }

    @Test func `getters and queries read a date string as the same moment in every time zone`()
        async
    {
        await #expect(processExitsWith: .success) {
            let home = try TemporaryDatabase()
            try home.collection.save(document: MutableDocument())
            let query = try home.database.createQuery("SELECT STR_TO_MILLIS($text) AS time FROM _")
            var texts: [String] = []
            for day in ["2018-03-11", "2018-11-04", "2018-03-25", "2018-10-28", "1901-12-13"] {
                for hour in 10...25 { texts += ["\(day)T\(hour):30:00"] }
                for hour in 0...9 { texts += ["\(day) 0\(hour):00", "-\(day)T0\(hour):00:59"] }
            }
            for end in ["", "Z", "+01", "+01:00", "-0830", "+14:59", "+15:00", " z ", "x", ".0005"]
            {
                texts += [
                    "2018-03-06T12:34:56\(end)", "2018-03-06T24:00\(end)", "2018-03-06\(end)",
                ]
            }
            for zone in [
                "UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe",
            ] {
                CurrentProcess.setVariable("TZ", zone)
                for text in texts {
                    query.parameters = Parameters().setString(text, forName: "text")
                    let asked = try #require(try query.execute().next()).number(forKey: "time")
                    let read = MutableDocument(data: ["text": text]).date(forKey: "text")
                    let expected = asked.map { Date(timeIntervalSince1970: $0.doubleValue / 1_000) }
                    guard read != expected else { continue }
                    print("\(zone), \(text): \(read as Any), and in a query \(expected as Any)")
                    CurrentProcess.exit(1)
                }
            }
        }
    }

    @Test func `a number is not a date`() {
        #expect(MutableDocument(data: ["d": 1_520_339_696]).date(forKey: "d") == nil)
    }

    /// Seconds since 1970: Foundation cannot describe such dates, and stops the program.
    static let outside: [Double] = [
        253_402_300_800, -62_167_219_200.5, 1e18, .nan, -.infinity,
    ]

    @Test(arguments: outside)
    func `saving a date outside the years 0 to 9999 fails`(
        seconds: Double
    ) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let home = try TemporaryDatabase()
        let array = MutableArrayObject().addDate(date)
        let documents = [
            MutableDocument().setDate(date, forKey: "d"),
            MutableDocument(data: ["d": [["e": date]]]),
            MutableDocument().setArray(array, forKey: "d"),
            MutableDocument().setValue(
                NSDate(timeIntervalSince1970: date.timeIntervalSince1970),
                forKey: "d"
            ),
            MutableDocument().setEncryptable(Encryptable(["d": date]), forKey: "d"),
        ]
        for document in documents {
            expect(CBLError.invalidParameter) { try home.collection.save(document: document) }
        }
        #expect(try home.collection.count == 0)
        let held = documents[0].date(forKey: "d")
        #expect(
            held == date || date.timeIntervalSince1970.isNaN,
            "the program's value is not replaced"
        )
    }

    @Test(arguments: outside)
    func `a query with a date outside the years 0 to 9999 fails`(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let home = try TemporaryDatabase()
        let query = try home.database.createQuery("SELECT $p FROM _")
        for value in [date, [date], ["d": date]] as [Any] {
            query.parameters = Parameters().setValue(value, forName: "p")
            expect(CBLError.invalidQueryParam) { _ = try query.execute() }
            let built = QueryBuilder.select(SelectResult.expression(Expression.value(value)))
                .from(DataSource.collection(try home.collection))
            expect(CBLError.invalidQuery) { _ = try built.execute() }
        }
    }

    @Test(arguments: outside)
    func `saving a model with a date outside the years 0 to 9999 fails`(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        final class Meeting: Codable {
            @DocumentID var id: String?
            var date: Date
            var others: [String: [Date]] = [:]

            init(date: Date) { self.date = date }
        }
        let home = try TemporaryDatabase()
        let nested = Meeting(date: Date(timeIntervalSince1970: 0))
        nested.others = ["a": [date]]
        for meeting in [Meeting(date: date), nested] {
            var code: Int?
            do {
                try home.collection.save(from: meeting)
            } catch let error as NSError {
                code = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
            }
            // Only the number: Swift Testing describes the values of a failed expectation, dates among them.
            #expect(code == CBLError.invalidParameter)
        }
        #expect(try home.collection.count == 0)
    }

    @Test(arguments: [-62_167_219_200, -62_135_596_800, -1, 253_402_300_799.999])
    func `the earliest and latest dates are stored unchanged`(seconds: Double) throws {
        let home = try TemporaryDatabase()
        let date = Date(timeIntervalSince1970: seconds)
        try home.collection.save(document: MutableDocument(id: "d").setDate(date, forKey: "d"))
        let read = try #require(try home.collection.document(id: "d")?.date(forKey: "d"))
        #expect(abs(read.timeIntervalSince(date)) < 0.001)
    }
}

import Testing

@Suite("Dates")
struct DateTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "The digits of an example date do not matter, only its format",
        arguments: [
            ("1970-01-01", "2021-03-04"), ("2006-01-02", "2021-03-04"),
            ("YYYY-MM-DD", "2021-03-04"),
            ("2006/01/02", "2021-03-04"), ("2006-01-02T15:04:05Z", "2021-03-04T10:20:30Z"),
            ("1111-11-11T00:00:00+00:00", "2021-03-04T10:20:30Z"), ("00:00:00", "10:20:30"),
            ("2006-01-02 15:04:05", "2021-03-04 10:20:30"), ("hh:mm:ss.sss", "10:20:30.250"),
            ("2006-01-02T15:04:05.000-0700", "2021-03-04T10:20:30.250Z"), ("00:00", "10:20"),
        ]
    )
    func examples(format: String, expected: String) throws {
        let found = try scratch.value("divan_millis_to_utc1(1614853230250, '\(format)')")
        #expect(found == "'\(expected)'")
    }

    @Test(
        "An invalid format falls back to the default",
        arguments: [
            "", "Z", "1", "%", "%Q", "%T", "%FT", "%F%T", "%FT%T.%s", "%F %Tx", "1111-11-11T",
            "T11:11:11",
            "1111-11-11x11:11:11", "11-11-11", "1111-11-11Z", "1111-11-11+01:00", "x1111-11-11",
            "+11:11",
            "1111-11/11", "nonsense",
        ]
    )
    func noFormat(format: String) throws {
        let found = try scratch.value("divan_millis_to_utc1(1614853230250, '\(format)')")
        #expect(found == "'2021-03-04T10:20:30.250Z'")
    }

    @Test(
        "Time zones are written as in the format",
        arguments: [
            ("11:11:11+00:00", "11:50:30+01:30"), ("11:11:11-0000", "11:50:30+0130"),
            ("11:11:11Z", "11:50:30+0130"), ("11:11:11", "11:50:30"),
            ("%FT%H:%M:%S%Ez", "2021-03-04T11:50:30+01:30"),
        ]
    )
    func zones(format: String, expected: String) throws {
        let found = try scratch.value("divan_millis_to_tz1(1614853230000, 90, '\(format)')")
        #expect(found == "'\(expected)'")
    }

    @Test("Milliseconds are written if the format includes them and they are not 0")
    func milliseconds() throws {
        for format in ["11:11:11.111", "%H:%M:%S%s", "%H:%M:%S%.s", "%T%s"] {
            let some = try scratch.value("divan_millis_to_utc1(1614853230250, '\(format)')")
            #expect(some == "'10:20:30.250'")
            let none = try scratch.value("divan_millis_to_utc1(1614853230000, '\(format)')")
            #expect(none == "'10:20:30'")
        }
        let whole = try scratch.value("divan_millis_to_utc1(1614853230250, '%FT%T%z')")
        #expect(whole == "'2021-03-04T10:20:30.250Z'")
    }

    @Test(
        "Blanks around a time zone and a lowercase z are accepted",
        arguments: [
            ("2021-03-04 10:20:30 +0000", "10:20:30Z"), ("2021-03-04 10:20:30 +02:00", "08:20:30Z"),
            ("2021-03-04T10:20:30z", "10:20:30Z"), ("2021-03-04T10:20:30 Z ", "10:20:30Z"),
            ("2021-03-04 T 10:20Z", "10:20:00Z"), ("2021-03-04 \t10:20-0100", "11:20:00Z"),
        ]
    )
    func blanks(text: String, expected: String) throws {
        #expect(try scratch.value("divan_str_to_utc1('\(text)')") == "'2021-03-04T\(expected)'")
    }

    @Test(
        "An invalid date is null",
        arguments: [
            "2021-03-04Z", "2021-03-04 +02:00", "2021-03-04T10:20:30.Z", "2021-03-04T10:20:30+02",
            "x2021-03-04",
            "2021-03-04x", "2021-03-04T10", "2021-03-04T10:20:30 +02:00x", " 2021-03-04", "T10:20",
            "", " ",
        ]
    )
    func noDate(text: String) throws {
        #expect(try scratch.value("divan_str_to_utc1('\(text)')") == "null")
        #expect(try scratch.value("divan_str_to_millis1('\(text)')") == "null")
    }

    @Test(
        "A date outside the supported years is MISSING",
        arguments: [
            "200000000, 'day'", "-200000000, 'day'", "10000000000000, 'second'",
            "768614336404564, 'millennium'", "-768614336404564, 'millennium'", "300000, 'year'",
        ]
    )
    func beyond(amount: String) throws {
        for date in ["2018-01-01T00:00:00Z", "-9999-01-01T00:00:00Z"] {
            #expect(try scratch.value("divan_date_add_str2('\(date)', \(amount))") == "MISSING")
        }
        #expect(try scratch.value("divan_date_add_millis2(0, \(amount))") == "MISSING")
    }

    @Test("A date followed by T and blanks has no time")
    func dateAlone() throws {
        let date = try scratch.value("divan_str_to_millis1('2021-03-04')")
        #expect(try scratch.value("divan_str_to_millis1('2021-03-04T ')") == date)
    }

    @Test(
        "Fractions finer than milliseconds are rounded",
        arguments: [
            ("30.1234Z", "30.123Z"), ("30.1235Z", "30.124Z"), ("30.123456Z", "30.123Z"),
            ("30.9996+0000", "31Z"), ("59.9999999Z", "21:00Z"), ("30.5Z", "30.500Z"),
        ]
    )
    func fractions(seconds: String, expected: String) throws {
        let found = try scratch.value("divan_str_to_utc1('2021-03-04T10:20:\(seconds)')")
        let minutes = expected.contains(":") ? "" : "20:"
        #expect(found == "'2021-03-04T10:\(minutes)\(expected)'")
    }
}

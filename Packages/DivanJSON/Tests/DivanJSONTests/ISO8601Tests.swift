import DivanJSON
import Testing

@Suite struct ISO8601Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_520_339_696.789, "2018-03-06T12:34:56.789Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
        (-2_203_891_200, "1900-03-01T00:00:00.000Z"), (0.0005, "1970-01-01T00:00:00.001Z"),
        (1e300, "9999-12-31T23:59:59.999Z"), (-.infinity, "0000-01-01T00:00:00.000Z"),
        (.nan, "1970-01-01T00:00:00.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
    ])
    func `formats a time in UTC with milliseconds`(seconds: Double, text: String) {
        #expect(ISO8601.format(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        (253_402_300_799.999_9, "9999-12-31T23:59:59.999Z"), (253_402_300_800, nil),
        (-62_167_219_200, "0000-01-01T00:00:00.000Z"), (-62_167_219_200.001, nil), (.nan, nil),
        (.infinity, nil), (-.infinity, nil),
    ])
    func `a time whose year does not have four digits has no text`(seconds: Double, text: String?) {
        #expect(ISO8601.text(secondsSince1970: seconds) == text)
    }
}

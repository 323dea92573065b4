import DivanHTTP
import DivanTestKit
import Foundation
import Testing

/// Times in HTTP's format.
@Suite struct HTTPDateTests {
    @Test func `the example date of the specification is formatted correctly`() {
        #expect(HTTPDate.text(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(secondsSince1970: -1) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(secondsSince1970: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test func `dates of all years are formatted as by Foundation`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var generator = SeededGenerator(seed: 1994)
        for _ in 0..<2_000 {
            let second = Int64.random(in: 0...253_402_300_799, using: &generator)
            let date = Date(timeIntervalSince1970: Double(second))
            #expect(HTTPDate.text(secondsSince1970: second) == formatter.string(from: date))
        }
    }
}

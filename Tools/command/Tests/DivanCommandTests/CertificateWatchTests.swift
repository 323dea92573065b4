import Foundation
import Testing

@testable import DivanCommand

@Suite struct CertificateWatchTests {
    private static let day: TimeInterval = 86_400
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func certificate(days: Double, _ name: String = "a") -> CertificateWatch.Validity {
        .init(database: name, start: start, end: start + days * Self.day)
    }

    @Test func `a certificate is renewed from a day before its end, and tried again each hour`() {
        var watch = CertificateWatch()
        let certificates = [certificate(days: 365), certificate(days: 400, "b")]
        let due = start + 364 * Self.day
        let answers = [0, 1, 3_600, 3_601].map { watch.isRenewalDue(certificates, at: due + $0) }
        #expect(answers == [false, true, false, true])
    }

    @Test func `a warning comes once a day from 14 days before the end, and names the database`() {
        var watch = CertificateWatch()
        let certificates = [certificate(days: 365), certificate(days: 800, "b")]
        let first = start + 351 * Self.day
        let moments = [0, 1, Self.day, Self.day + 1, 15 * Self.day]
        let warnings = moments.map { watch.warnings(certificates, at: first + $0) }
        #expect(warnings.map(\.count) == [0, 1, 0, 1, 1])
        #expect(warnings[1][0].hasPrefix("the certificate of a expires on 2028-01-15"))
        #expect(warnings[4][0].contains("expired on"))
    }

    @Test func `a short-lived certificate is due for a warning in the last quarter of its life`() {
        var watch = CertificateWatch()
        let certificates = [certificate(days: 8)]
        let counts = [-1, 1].map { second in
            watch.warnings(certificates, at: start + 6 * Self.day + second).count
        }
        #expect(counts == [0, 1])
    }
}

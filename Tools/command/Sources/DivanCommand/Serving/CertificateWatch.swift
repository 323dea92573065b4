import DivanCommandLine
import DivanJSON
import DivanTLS
import Foundation

/// When a server renews its certificates, and when it warns that they expire.
///
/// A certificate that the server made by itself is renewed a day before it expires; the operator must renew others.
struct CertificateWatch {
    /// The validity of one certificate of the server.
    struct Validity {
        /// The name of the database that presents it.
        let database: String
        let start: Date
        let end: Date

        /// The seconds before the end in which warnings are due: a quarter of the validity, at most 14 days.
        var warningPeriod: TimeInterval { min(14 * 86_400, end.timeIntervalSince(start) / 4) }
    }

    /// Seconds between two attempts to renew.
    private static let attemptPeriod: TimeInterval = 3_600
    /// Seconds between two warnings of one certificate.
    private static let warningPause: TimeInterval = 86_400

    private var attempted: Date?
    private var warned: [ExactText: Date] = [:]

    /// Whether a certificate of the server that is valid until `end` must be renewed.
    static func isRenewalDue(end: Date, at now: Date) -> Bool {
        end.timeIntervalSince(now) < AnonymousIdentity.renewalThreshold
    }

    /// Whether the server must renew its own certificates now; false for an hour after it was true.
    mutating func isRenewalDue(_ certificates: [Validity], at now: Date) -> Bool {
        guard certificates.contains(where: { Self.isRenewalDue(end: $0.end, at: now) })
        else { return false }
        if let attempted, abs(now.timeIntervalSince(attempted)) < Self.attemptPeriod {
            return false
        }
        attempted = now
        return true
    }

    /// Warnings of certificates that expire soon or have expired; one per day and database.
    mutating func warnings(_ certificates: [Validity], at now: Date) -> [String] {
        certificates.compactMap { certificate in
            let rest = certificate.end.timeIntervalSince(now)
            guard rest < certificate.warningPeriod else { return nil }
            if let last = warned[ExactText(certificate.database)],
                abs(now.timeIntervalSince(last)) < Self.warningPause
            {
                return nil
            }
            warned[ExactText(certificate.database)] = now
            let verb = rest < 0 ? "expired" : "expires"
            return "the certificate of \(certificate.database) \(verb) on "
                + "\(Days.text(certificate.end)); renew it and send SIGHUP to divan serve"
        }
    }
}

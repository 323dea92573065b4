import DivanPlatform
import DivanProbe
import DivanTLS
import Foundation

/// Shows what a TLS server presents, and whether a client with the system's roots trusts it.
@main enum TLSProbe {
    static let usage = """
        usage: tls-probe HOST[:PORT]

        Prints the TLS versions and the certificates of a server, port 443 unless PORT says which.
        Ends with 0 when the system's roots vouch for it, with 2 when not, with 1 on no answer.
        """

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.contains(where: { ["--help", "-h"].contains($0) }) { return print(usage) }
        guard words.count == 1, let place = words.first.flatMap({ ProbeTarget($0) }) else {
            try? FileHandle.standardError.write(
                contentsOf: Data("tls-probe: one HOST:PORT?\n\(usage)\n".utf8)
            )
            CurrentProcess.exit(64)
        }
        do {
            let probe = try ServerProbe(host: place.host, port: place.port)
            CurrentProcess.exit(report(probe, place))
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("tls-probe: \(error)\n".utf8))
            CurrentProcess.exit(1)
        }
    }

    /// Returns the exit code: 0 if the server is trusted, 2 if it is refused.
    private static func report(_ probe: ServerProbe, _ place: ProbeTarget) -> Int32 {
        for attempt in probe.attempts {
            let name = attempt.version == .tls13 ? "TLS 1.3" : "TLS 1.2"
            let result = attempt.cipherName.map { "yes, \($0)" }
            print("\(name): \(result ?? "no, \(attempt.error.map { "\($0)" } ?? "refused")")")
        }
        for (index, certificate) in probe.certificates.enumerated() {
            show(certificate, number: index + 1)
        }
        guard let refusal = probe.refusal else {
            print("trusted: by the system's roots, for \(place.host)")
            return 0
        }
        print("refused: \(refusal.networkCode.map { "Network/\($0), " } ?? "")\(refusal)")
        return 2
    }

    private static func show(_ certificate: TLSCertificate, number: Int) {
        let names = certificate.alternativeNames.map(\.value).joined(separator: ", ")
        let (first, last) = (certificate.notBefore, certificate.notAfter)
        print(
            """
            certificate \(number)
              subject  \(certificate.subject)
              issuer   \(certificate.isSelfSigned ? "itself" : certificate.issuer)
              names    \(names.isEmpty ? "none except the subject" : names)
              valid    \(first.formatted(.iso8601)) to \(last.formatted(.iso8601))
              SHA-256  \(certificate.sha256Fingerprint)
            """
        )
    }
}

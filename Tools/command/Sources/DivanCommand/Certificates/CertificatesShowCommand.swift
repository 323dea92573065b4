import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanProbe
import DivanTLS
import Foundation

/// `divan certs show`.
enum CertificatesShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "certs show",
        summary: "show the certificates of a server or a file",
        operands: [.init(name: "HOST:PORT|URL|FILE", completion: .file)],
        options: [
            .value("--save", "FILE", completion: .file, "write the server's certificate as PEM"),
            .json,
        ],
        details: """
            Prints the supported TLS versions, the certificate chain, and whether this system trusts
            the server. Before you pin a certificate, compare its fingerprint with the fingerprint
            that 'divan serve' prints on the server.

            Exits with 0 if the server is trusted, and with 6 if it is not a TLS server. Exits with
            7 if it is trusted only with --pin, --accept-self-signed or --trust.
            """,
        examples: [
            "divan certs show 192.168.1.20:4984",
            "divan certs show jukebox.local:4984 --save jukebox.pem",
            "divan certs show robot.pem",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let text = arguments.operands[0]
        if FileManager.default.fileExists(atPath: text) { return try showFile(text, terminal) }
        guard let place = ProbeTarget(text) else {
            throw Failure.usage(
                "'\(text)' is not an address, a URL or an existing file",
                hint: "use HOST:PORT, such as 192.168.1.20:4984"
            )
        }
        let probe: ServerProbe
        do throws(ProbeError) {
            probe = try ServerProbe(host: place.host, port: place.port)
        } catch {
            let remedy =
                error.isUnknownHost
                ? "check the host name; a file '\(text)' does not exist either"
                : "check the host and the port"
            throw Failure(kind: .unreachable, sentence: "\(error)", hint: remedy)
        }
        guard let leaf = probe.certificates.first else {
            let cause = probe.attempts.compactMap(\.error).first.map { "\($0)" }
            throw Failure(kind: .unreachable, text: cause ?? "\(text) sent no certificate")
        }
        if let file = arguments.value("--save") {
            try OutputFile.write(Array(leaf.pem.utf8), to: file)
        }
        report(probe, place, terminal)
        guard let refusal = probe.refusal else { return }
        throw Failure(kind: .refused, text: "the server is not trusted: \(refusal)")
    }

    private static func showFile(_ path: String, _ terminal: Terminal) throws {
        for certificate in try IdentityFile.readCertificates(path) {
            let card = CertificateSummary(
                try DivanTLS.TLSCertificate(der: Array(certificate.der).span)
            )
            if terminal.isJSON {
                terminal.result(card.json.canonicalText)
            } else {
                for line in card.lines { terminal.result(line) }
            }
        }
    }

    private static func report(_ probe: ServerProbe, _ place: ProbeTarget, _ terminal: Terminal) {
        let cards = probe.certificates.map(CertificateSummary.init)
        if terminal.isJSON {
            let versions = probe.attempts.map { attempt -> JSON in
                [
                    "version": .string(attempt.name),
                    "cipher": attempt.cipherName.map { .string($0) } ?? .null,
                ]
            }
            let object: JSON = [
                "host": .string(place.host), "port": JSON(place.port),
                "versions": .array(versions), "certificates": .array(cards.map(\.json)),
                "trusted": .bool(probe.refusal == nil),
                "refusal": probe.refusal.map { .string("\($0)") } ?? .null,
            ]
            return terminal.result(object.canonicalText)
        }
        for attempt in probe.attempts {
            let result = attempt.cipherName ?? "no (\(attempt.error.map { "\($0)" } ?? "refused"))"
            terminal.result("\(attempt.name)  \(result)".escapingControlCharacters())
        }
        for (index, card) in cards.enumerated() {
            terminal.result("certificate \(index + 1)")
            for line in card.lines { terminal.result("  " + line) }
        }
        for line in advice(probe, place) { terminal.result(line) }
    }

    private static func advice(_ probe: ServerProbe, _ place: ProbeTarget) -> [String] {
        guard probe.refusal != nil else {
            return ["The server is trusted by this system; no option is required."]
        }
        let name = "\(place.host):\(place.port)"
        var lines = [
            "To trust only this server, compare the fingerprint, and then run:",
            "  divan certs show \(name) --save server.pem",
            "  divan sync DB wss://\(name)/NAME --pin server.pem",
        ]
        if probe.certificates.count > 1 {
            lines.append("To trust all servers of the issuer, pin the issuer's certificate.")
        }
        return lines
    }
}

extension ServerProbe.Attempt {
    fileprivate var name: String { version == .tls13 ? "TLS 1.3" : "TLS 1.2" }
}

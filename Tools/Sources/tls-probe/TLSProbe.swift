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
        guard words.count == 1, let place = words.first.flatMap(place(in:)) else {
            FileHandle.standardError.write(Data("tls-probe: one HOST:PORT?\n\(usage)\n".utf8))
            exit(64)
        }
        do {
            exit(try TLSProbe.probe(place.host, String(place.port)))
        } catch {
            FileHandle.standardError.write(Data("tls-probe: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Takes `host`, `host:port`, `[address]`, `[address]:port` and a bare IPv6 address.
    private static func place(in word: String) -> (host: String, port: UInt16)? {
        let isAddress = word.filter { $0 == ":" }.count > 1
        var (host, port) = (word, UInt16?.some(443))
        if let bracket = word.lastIndex(of: "]"), word.hasPrefix("[") {
            host = String(word[..<bracket].dropFirst())
            let rest = word[bracket...].dropFirst()
            if !rest.isEmpty { port = rest.hasPrefix(":") ? UInt16(rest.dropFirst()) : nil }
        } else if !isAddress, let colon = word.lastIndex(of: ":") {
            host = String(word[..<colon])
            port = UInt16(word[colon...].dropFirst())
        }
        guard let port, port > 0, !host.isEmpty, !host.hasPrefix("-") else { return nil }
        return (host, port)
    }

    /// Returns the exit code: 0 when the server is trusted, 2 when it is refused.
    private static func probe(_ host: String, _ port: String) throws -> Int32 {
        for (version, name) in [(TLSVersion.tls13, "TLS 1.3"), (.tls12, "TLS 1.2")] {
            let configuration = ClientTLSConfiguration(
                serverTrust: .callback { _ in true },
                versions: version...version
            )
            let session = try TLSSession(.client(configuration), serverName: host)
            let error = try handshake(session, with: BlockingSocket(host, port))
            print("\(name): \(error.map { "no, \($0)" } ?? "yes, \(session.cipherName)")")
        }
        let session = try TLSSession(.client(ClientTLSConfiguration()), serverName: host)
        let refusal = try handshake(session, with: BlockingSocket(host, port))
        for (index, certificate) in session.peerCertificates.enumerated() {
            show(certificate, number: index + 1)
        }
        guard let refusal else {
            print("trusted: by the system's roots, for \(host)")
            return 0
        }
        print("refused: \(refusal.networkCode.map { "Network/\($0), " } ?? "")\(refusal)")
        return 2
    }

    /// Carries bytes until the session is open; returns the error in which it ends otherwise.
    private static func handshake(_ session: TLSSession, with socket: BlockingSocket) -> TLSError? {
        var (output, plaintext): ([UInt8], [UInt8]) = ([], [])
        do throws(TLSError) {
            while true {
                session.takeOutput(appendingTo: &output)
                socket.send(output)
                output.removeAll()
                guard session.state == .handshaking else { return nil }
                let input = socket.receive()
                if input.isEmpty { try session.receiveEnd() }
                try session.receive(input.span, appendingTo: &plaintext)
            }
        } catch {
            return error
        }
    }

    private static func show(_ certificate: TLSCertificate, number: Int) {
        let names = certificate.alternativeNames.map(\.value).joined(separator: ", ")
        let (first, last) = (certificate.notBefore, certificate.notAfter)
        print(
            """
            certificate \(number)
              subject  \(certificate.subject)
              issuer   \(certificate.isSelfSigned ? "itself" : certificate.issuer)
              names    \(names.isEmpty ? "none beside the subject" : names)
              valid    \(first.formatted(.iso8601)) to \(last.formatted(.iso8601))
              SHA-256  \(certificate.sha256Fingerprint)
            """
        )
    }
}

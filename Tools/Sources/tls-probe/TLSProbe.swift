import DivanTLS
import Foundation

/// Shows what a TLS server presents, and whether a client with the system's roots trusts it.
@main enum TLSProbe {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        let parts = words.first?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard words.count == 1, parts.count > 1, let port = parts.last, UInt16(port) != nil else {
            print("usage: tls-probe HOST:PORT")
            exit(64)
        }
        let host = parts.dropLast().joined(separator: ":").trimmingCharacters(in: ["[", "]"])
        do {
            exit(try TLSProbe.probe(host, String(port)))
        } catch {
            FileHandle.standardError.write(Data("tls-probe: \(error)\n".utf8))
            exit(1)
        }
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

public import DivanTLS

/// What a TLS server presents to a client without a certificate.
public struct ServerProbe: Sendable {
    /// The result of one handshake.
    public struct Attempt: Sendable {
        /// The only protocol version that was offered.
        public let version: TLSVersion
        /// The cipher agreed on; `nil` if the handshake failed.
        public let cipherName: String?
        /// Why it failed.
        public let error: TLSError?
    }

    /// One attempt for each version, the newest first, whatever certificate is presented.
    public let attempts: [Attempt]
    /// The chain, leaf first; empty if no handshake got that far.
    public let certificates: [TLSCertificate]
    /// Why a client with the system's roots would refuse the server; `nil` if it would not.
    public let refusal: TLSError?

    /// Connects three times, each with at most `patience` seconds of silence.
    ///
    /// - Throws: `ProbeError` if the server cannot be reached.
    public init(host: String, port: UInt16, patience: Int = 10) throws(ProbeError) {
        var attempts: [Attempt] = []
        var shown: [TLSCertificate] = []
        for version in [TLSVersion.tls13, .tls12] {
            let configuration = ClientTLSConfiguration(
                serverTrust: .callback { _ in true },
                versions: version...version
            )
            let outcome = try Self.handshake(configuration, host, port, patience: patience)
            attempts.append(
                Attempt(version: version, cipherName: outcome.cipherName, error: outcome.error)
            )
            if shown.isEmpty { shown = outcome.certificates }
        }
        let judged = try Self.handshake(ClientTLSConfiguration(), host, port, patience: patience)
        self.attempts = attempts
        certificates = judged.certificates.isEmpty ? shown : judged.certificates
        refusal = judged.error
    }

    /// Whether a server answers TLS on a port before two seconds of silence.
    public static func speaksTLS(host: String, port: UInt16) -> Bool {
        let configuration = ClientTLSConfiguration(serverTrust: .callback { _ in true })
        let outcome = try? handshake(configuration, host, port, patience: 2)
        return outcome.map { !$0.certificates.isEmpty } ?? false
    }

    private struct Outcome {
        var certificates: [TLSCertificate] = []
        var cipherName: String?
        var error: TLSError?
    }

    /// Transfers bytes until the session is open or has failed.
    private static func handshake(
        _ configuration: ClientTLSConfiguration,
        _ host: String,
        _ port: UInt16,
        patience: Int
    ) throws(ProbeError) -> Outcome {
        let socket = try BlockingSocket(host, port, patience: patience)
        var outcome = Outcome()
        var (output, plaintext): ([UInt8], [UInt8]) = ([], [])
        do throws(TLSError) {
            let session = try TLSSession(.client(configuration), serverName: host)
            // Also filled if the server is refused.
            defer { outcome.certificates = session.peerCertificates }
            while session.state == .handshaking {
                session.takeOutput(appendingTo: &output)
                socket.send(output)
                output.removeAll()
                guard session.state == .handshaking else { break }
                let input = socket.receive()
                if input.isEmpty { try session.receiveEnd() }
                try session.receive(input.span, appendingTo: &plaintext)
            }
            outcome.cipherName = session.cipherName
        } catch {
            outcome.error = error
        }
        return outcome
    }
}

/// `HOST[:PORT]` as a person types it.
public struct ProbeTarget: Sendable, Equatable {
    /// The name or address, without brackets.
    public let host: String
    /// The port, 443 unless another was named.
    public let port: UInt16

    /// Parses `host`, `host:port`, `[address]`, `[address]:port` or a bare IPv6 address.
    ///
    /// Returns `nil` if there is no host, or the port is invalid.
    ///
    /// The scheme and the path of a URL are ignored.
    public init?(_ text: String) {
        var text = text
        for scheme in ["wss://", "ws://", "https://"] where text.lowercased().hasPrefix(scheme) {
            text = String(text.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
        }
        let isAddress = text.filter { $0 == ":" }.count > 1
        var (host, port) = (text, UInt16?.some(443))
        if let bracket = text.lastIndex(of: "]"), text.hasPrefix("[") {
            host = String(text[..<bracket].dropFirst())
            let rest = text[bracket...].dropFirst()
            if !rest.isEmpty { port = rest.hasPrefix(":") ? UInt16(rest.dropFirst()) : nil }
        } else if !isAddress, let colon = text.lastIndex(of: ":") {
            host = String(text[..<colon])
            port = UInt16(text[colon...].dropFirst())
        }
        guard let port, port > 0, !host.isEmpty, !host.hasPrefix("-") else { return nil }
        self.host = host
        self.port = port
    }
}

import CouchbaseLiteSwift
import DivanBLIP
import DivanCommandLine
import DivanPlatform
import DivanProbe
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// Examines the path to a peer, from its name to its rights, and reports the result of each step.
struct PeerExamination {
    private let text: String
    private let arguments: Arguments
    private let terminal: Terminal
    private let show: (Finding) -> Void
    private let patience: Int
    private let names: [CollectionName]

    init(
        _ text: String,
        _ arguments: Arguments,
        _ terminal: Terminal,
        _ show: @escaping (Finding) -> Void
    ) throws {
        self.text = text
        self.arguments = arguments
        self.terminal = terminal
        self.show = show
        patience = try arguments.number("--timeout", in: 1...300) ?? 5
        let wanted = try arguments.collections()
        names = wanted.isEmpty ? [.default] : wanted
    }

    /// Runs the steps in order; the first that fails is the last.
    func run() throws {
        let url: WebSocketURL
        do throws(WebSocketURLError) {
            url = try WebSocketURL(text)
        } catch {
            let failure = Failure(explaining: error)
            let remedy = Self.schemeRemedy(text) ?? failure.hint ?? "use wss://HOST:PORT/DATABASE"
            return show(.failed("address", failure.sentence, remedy, .usage))
        }
        let endpoint = url.endpoint
        show(
            .ok(
                "address",
                "\(endpoint.host) port \(endpoint.port), database \(url.database), "
                    + (endpoint.isSecure ? "TLS" : "no TLS")
            )
        )
        let proxy = try ServerTrustOptions.proxy(arguments)
        let (host, port) =
            proxy.map { ($0.hostname, $0.port) } ?? (endpoint.lookupName, endpoint.port)
        let addresses = AddressExamination(patience: patience, isProxy: proxy != nil, show)
        guard addresses.reach(host, port) else { return }
        let transport = try PeerTransport.make(to: url, arguments, terminal)
        let report = ProtocolProbe.run(
            over: transport,
            asking: names,
            patience: .seconds(patience)
        ) {
            guard terminal.isInteractive, !terminal.isJSON else { return }
            terminal.note("      waiting for a response, \(patience) s at most (--timeout)")
        }
        let way = ConnectionFindings(
            endpoint: endpoint,
            isProxied: proxy != nil,
            shown: arguments.shownToPeer,
            patience: patience
        )
        if endpoint.isSecure, proxy == nil, !way.isSilent(report) { describeTLS(endpoint) }
        guard report.peer != nil else { return show(way.finding(of: report)) }
        ProtocolFindings(report, names, database: url.database, show).reportAll()
    }

    /// Reports the server's certificate, whether it is trusted or not.
    private func describeTLS(_ endpoint: WebSocketEndpoint) {
        guard
            let probe = try? ServerProbe(
                host: endpoint.lookupName,
                port: endpoint.port,
                patience: patience
            ),
            let leaf = probe.certificates.first
        else { return }
        let versions = probe.attempts.compactMap { attempt in
            attempt.cipherName.map { _ in attempt.version == .tls13 ? "1.3" : "1.2" }
        }
        let days = Int(leaf.notAfter.timeIntervalSinceNow / 86_400)
        let seen =
            "TLS \(versions.joined(separator: ", ")); certificate of \(leaf.subject), "
            + "valid until \(Days.moment(leaf.notAfter))"
        if days < 14, leaf.isValid(at: Date()) {
            let remaining = Numbers.count(max(0, days), "day")
            let remedy = "renew the certificate before it expires"
            show(.warning("tls", "\(seen) (\(remaining) left)", remedy))
        } else {
            show(.ok("tls", seen))
        }
    }

    private static func schemeRemedy(_ text: String) -> String? {
        let lower = text.lowercased()
        if lower.hasPrefix("http://") { return "replace http:// with ws://" }
        if lower.hasPrefix("https://") { return "replace https:// with wss://" }
        return nil
    }
}

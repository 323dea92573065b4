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
        guard reach(host, port, isProxy: proxy != nil) else { return }
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

    /// Looks the name up and connects; false if that fails.
    private func reach(_ host: String, _ port: UInt16, isProxy: Bool) -> Bool {
        let subject = isProxy ? "the proxy " : ""
        let begin = DispatchTimeStamp.now()
        let addresses: [String]
        switch AddressProbe.lookUp(host, port) {
        case .success(let found): addresses = found
        case .failure(let problem):
            show(
                .failed(
                    isProxy ? "proxy" : "name",
                    "\(subject)\(host): \(problem.text)",
                    "check the spelling, the network and the DNS server: 'getent hosts \(host)'",
                    .unreachable
                )
            )
            return false
        }
        let time = begin.milliseconds
        let found = "\(subject)\(host) resolves to \(addresses.joined(separator: ", "))"
        show(.ok("name", "\(found) (\(time) ms)"))
        let reaches = addresses.prefix(8).map {
            AddressProbe.reach($0, port, seconds: min(patience, 5))
        }
        guard let best = reaches.first(where: { $0.problem == nil }) else {
            show(Self.unreachable(reaches, port, isProxy: isProxy))
            return false
        }
        let unreachable = reaches.filter { $0.problem != nil }.map(\.address)
        let seen =
            "\(subject)\(best.address) port \(port) accepts connections (\(best.milliseconds) ms)"
        if unreachable.isEmpty {
            show(.ok("tcp", seen))
        } else {
            let names = unreachable.joined(separator: ", ")
            let remedy = "correct the addresses of the host name"
            show(.warning("tcp", "\(seen), but not \(names)", remedy))
        }
        return true
    }

    private static func unreachable(
        _ reaches: [AddressProbe.ConnectionAttempt],
        _ port: UInt16,
        isProxy: Bool
    ) -> Finding {
        let problems = reaches.map { reach in
            "\(reach.address) port \(port): \(reach.problem ?? .none)"
        }
        let remedy =
            switch reaches.first?.problem {
            case .connectionRefused?: "start the server, or correct the port"
            case .timedOut?: "check the address, firewalls and the server's machine"
            default: "check this machine's network and routes: 'ip route get ADDRESS'"
            }
        let step = isProxy ? "proxy" : "tcp"
        return .failed(step, problems.joined(separator: "; "), remedy, .unreachable)
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

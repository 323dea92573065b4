import DivanCommandLine
import DivanDiscovery
import DivanJSON
import DivanPlatform
import Synchronization

/// `divan discover`.
enum DiscoverCommand: Command {
    static let syntax = CommandSyntax(
        name: "discover",
        summary: "find peers on the local network",
        options: [
            .value("--seconds", "N", "search for N seconds (default: 3; 0: until interrupted)"),
            .json,
        ],
        details: """
            Finds peers that 'divan serve --advertise' announces, and prints the name, the URL and
            the certificate's fingerprint of each. Anyone on the network can announce a peer:
            compare the fingerprint before you pin the certificate.

            Requires avahi-daemon. Exit code 3 if no peer is found, 6 without an Avahi daemon.
            """,
        examples: ["divan discover", "divan discover --seconds 0 --json"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let seconds: Int = try arguments.number("--seconds", in: 0...86_400) ?? 3
        let interruption = Interruption()
        let ended = TimedSignal()
        let failure = Mutex<DiscoveryError?>(nil)
        let found = Mutex<Set<ExactText>>([])
        let printer = PeerPrinter(terminal)
        let activity: any DiscoveryActivity
        do {
            activity = try AvahiDiscovery().browse { event in
                switch event {
                case .found(let peer):
                    found.withLock { _ = $0.insert(ExactText(peer.name)) }
                    printer.found(peer)
                    if terminal.lostResult != nil { ended.signal() }
                case .lost(let name):
                    found.withLock { _ = $0.remove(ExactText(name)) }
                    printer.lost(name)
                    if terminal.lostResult != nil { ended.signal() }
                case .failed(let error):
                    failure.withLock { $0 = error }
                    ended.signal()
                }
            }
        } catch {
            throw Failure(kind: .unreachable, text: "\(error)")
        }
        interruption.onRequest { ended.signal() }
        ended.wait(for: seconds == 0 ? nil : .seconds(seconds))
        activity.stop()
        if let error = failure.withLock({ $0 }) {
            throw Failure(kind: .unreachable, text: "\(error)")
        }
        guard found.withLock({ !$0.isEmpty }) || seconds == 0 else {
            throw Failure(
                kind: .notFound,
                sentence: "no peer found",
                hint: "run 'divan serve DB --advertise NAME' on a machine in the same network"
            )
        }
    }
}

/// Writes peers as lines.
private struct PeerPrinter: Sendable {
    let events: EventLine
    let terminal: Terminal

    init(_ terminal: Terminal) {
        self.terminal = terminal
        events = EventLine(terminal)
    }

    func found(_ peer: DiscoveredPeer) {
        guard !terminal.isJSON else {
            let attributes = peer.attributes.sorted { $0.key < $1.key }
                .map { (key: $0.key, value: JSON.string($0.value)) }
            return events.write(
                "found",
                [
                    "name": .string(peer.name), "host": .string(peer.host),
                    "port": JSON(peer.port),
                    "addresses": .array(peer.addresses.map { .string($0) }),
                    "attributes": .object(JSONObject(attributes)),
                    "url": peer.url.map { .string($0) } ?? .null,
                ]
            )
        }
        var line = "\(peer.name)  \(peer.url ?? "no address")"
        if let fingerprint = peer.attributes["fingerprint"] { line += "  \(fingerprint)" }
        terminal.result(line.escapingControlCharacters())
    }

    func lost(_ name: String) {
        events.write("lost", ["name": .string(name)], sentence: "\(name) is no longer available")
    }
}

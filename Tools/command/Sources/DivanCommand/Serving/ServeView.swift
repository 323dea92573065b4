@_spi(Status) import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanLog
import DivanStatus
import Foundation

/// The output about running listeners, for people or machines.
///
/// A terminal shows a table that is redrawn; a pipe gets a line when a client connects, disconnects or is refused, and
/// regular lines about the traffic.
struct ServeView {
    private struct ConnectedPeer {
        let name: String
        let client: PeerName
        let start = Date()
        var last: URLEndpointListener.Connection?
        /// Polls in which the peer was missing; the first may have been too early.
        var missCount = 0
    }

    private let terminal: Terminal
    private let events: EventLine
    private let served: [ServedDatabase]
    private let clock = ContinuousClock.now
    private var guests: [PeerName: ConnectedPeer] = [:]
    private var told: [UInt64]
    private var nextTraffic = 5.0
    private var block: LiveBlock
    private var problems: [String] = []

    init(_ terminal: Terminal, _ events: EventLine, _ served: [ServedDatabase]) {
        self.terminal = terminal
        self.events = events
        self.served = served
        told = served.map { _ in 0 }
        block = LiveBlock(terminal)
    }

    private var isTable: Bool { terminal.isInteractive && !terminal.isJSON }

    /// Reports peers that connected.
    mutating func take(_ arrivals: [(path: DatabasePath, client: PeerName)]) {
        for (path, client) in arrivals {
            guests[client] = ConnectedPeer(name: path.name, client: client)
            let shown = client.redacted(LogSinks.redaction)
            var members = shown.json
            members["database"] = .string(path.name)
            printEvent("connected", members, "\(shown.who) from \(shown.address) connected")
        }
    }

    /// Reports requests that were refused.
    mutating func take(_ refusals: [Refusals.Entry]) {
        for refusal in refusals.map({ $0.redacted(LogSinks.redaction) }) {
            printEvent("refused", refusal.json, refusal.sentence, at: refusal.moment)
        }
    }

    /// Reports errors.
    mutating func take(_ errors: [RecentErrors.Entry]) {
        for error in errors { printEvent("problem", error.json, error.sentence) }
    }

    /// Reports connections that were closed to accept new ones.
    mutating func take(_ crowds: [EvictionReporter.Report]) {
        for crowd in crowds { printEvent("crowded", crowd.json, crowd.sentence) }
    }

    /// Polls the listeners, and reports what is new.
    mutating func look() {
        let seconds = (ContinuousClock.now - clock).inSeconds
        let readings = served.map { $0.look() }
        printDisconnections(
            Dictionary(grouping: readings.flatMap(\.connections)) { PeerName($0.client) }
        )
        if isTable {
            block.show(table(readings))
        } else if seconds >= nextTraffic {
            nextTraffic = seconds + 5
            for (index, reading) in readings.enumerated() { printTraffic(reading, index) }
        }
    }

    /// Removes the table from the terminal.
    mutating func end() {
        look()
        block.clear()
    }

    /// Reports an event; `moment` is when it was, in milliseconds since 1970.
    mutating func printEvent(
        _ event: String,
        _ members: JSONObject,
        _ sentence: String,
        at moment: Int64 = Moment.now()
    ) {
        // The table has a line for each connected peer; other events are in its last lines.
        guard isTable else { return events.write(event, members, sentence: sentence, at: moment) }
        if event != "connected" {
            problems = (problems + ["\(Moment.timeOfDay(moment))  \(sentence)"]).suffix(5)
        }
    }

    private mutating func printDisconnections(
        _ present: [PeerName: [URLEndpointListener.Connection]]
    ) {
        for (client, guest) in guests {
            if let peer = present[client]?.first {
                guests[client]?.last = peer
                guests[client]?.missCount = 0
                continue
            }
            guests[client]?.missCount += 1
            guard guest.missCount > 0 else { continue }
            guests[client] = nil
            let shown = client.redacted(LogSinks.redaction)
            var members = shown.json
            for (key, value) in guest.last?.figureMembers ?? [:] { members[key] = value }
            members["database"] = .string(guest.name)
            members["active"] = nil
            let moved = guest.last.map(\.statistics).map { last in
                ", sent \(Numbers.grouped(last.sentDocumentCount)), received "
                    + Numbers.grouped(last.receivedDocumentCount)
            }
            printEvent(
                "disconnected",
                members,
                "\(shown.who) from \(shown.address) disconnected\(moved.orEmpty)"
            )
        }
    }

    private mutating func printTraffic(_ reading: ListenerReport.Reading, _ index: Int) {
        guard told[index] != reading.documentCount else { return }
        told[index] = reading.documentCount
        var members = reading.figureMembers
        let name = served[index].path.name
        members["database"] = .string(name)
        events.write("traffic", members, sentence: "\(name): \(Self.summary(reading))")
    }

    private static func summary(_ reading: ListenerReport.Reading) -> String {
        let figures = reading.figures
        var parts = [
            Numbers.count(reading.connections.count, "peer"),
            "sent \(Numbers.grouped(figures.sentDocumentCount))",
            "received \(Numbers.grouped(figures.receivedDocumentCount))",
            "\(Numbers.grouped(UInt64(reading.documentRate)))/s",
            "\(Numbers.bytes(UInt64(reading.byteRate)))/s",
        ]
        let deltaCount = figures.sentDeltas.count + figures.receivedDeltas.count
        if deltaCount > 0 { parts.append(Numbers.count(deltaCount, "delta")) }
        if figures.failedDocumentCount > 0 {
            parts.append("\(Numbers.grouped(figures.failedDocumentCount)) failed")
        }
        return parts.joined(separator: ", ")
    }

    private func table(_ readings: [ListenerReport.Reading]) -> [String] {
        var lines: [String] = []
        for (database, reading) in zip(served, readings) {
            lines.append("\(database.path.name): \(Self.summary(reading))")
            let peers = reading.connections.sorted {
                ($0.isActive ? 0 : 1, $1.start) < ($1.isActive ? 0 : 1, $0.start)
            }
            if !peers.isEmpty {
                lines.append(Self.row("PEER", "FROM", "SENT", "RECEIVED", "BYTES"))
            }
            for peer in peers.prefix(max(3, terminal.height - 12)) {
                let figures = peer.statistics
                let name = PeerName(peer.client).redacted(LogSinks.redaction)
                lines.append(
                    Self.row(
                        (peer.isActive ? "* " : "  ") + name.who,
                        name.address,
                        Numbers.grouped(figures.sentDocumentCount),
                        Numbers.grouped(figures.receivedDocumentCount),
                        Numbers.bytes(figures.sentByteCount + figures.receivedByteCount)
                    )
                )
                if let stall = peer.stall { lines.append("    waiting for \(stall)") }
            }
        }
        return lines + problems
    }

    private static func row(_ columns: String...) -> String {
        let widths = [26, 18, 9, 9, 9]
        return zip(columns, widths).map { text, width in
            text.cut(toCells: width - 1).padding(to: width)
        }.joined()
    }
}

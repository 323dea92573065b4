import DivanCommandLine
import DivanJSON

/// What a replication or a listener is waiting for, according to its published status.
struct StatusWaits {
    /// Seconds after which a wait is reported: every sync has shorter ones.
    private static let leastSeconds: UInt64 = 2
    private static let lineCount = 3

    /// One wait per line: `reply to rev of soup, 12 s`; for a listener, with the peer that has to reply.
    let lines: [String]

    init(_ status: JSONObject) {
        var lines: [String] = []
        if status["responding"] == .bool(false) {
            lines.append(
                "its own thread, blocked by a filter, a listener without a queue, or the disk"
            )
        }
        // The line of an offline replication shows the next attempt.
        let isOffline = status["activity"]?.string == "offline"
        var waits = isOffline ? [] : Self.waits(of: status)
        for peer in (status["peers"]?.array ?? []).compactMap(\.object) {
            let name = PeerLine.name(peer)
            waits += Self.waits(of: peer).map { "\(name): \($0)" }
        }
        lines += waits.prefix(Self.lineCount)
        if waits.isEmpty, !isOffline, let stall = status["stall"]?.string { lines.append(stall) }
        if waits.count > Self.lineCount {
            lines.append("and \(Numbers.grouped(UInt64(waits.count - Self.lineCount))) more")
        }
        self.lines = lines
    }

    private static func waits(of owner: JSONObject) -> [String] {
        (owner["waits"]?.array ?? []).compactMap(\.object).compactMap { wait in
            let seconds = wait["seconds"]?.count ?? 0
            guard seconds >= leastSeconds else { return nil }
            let collection = wait["collection"]?.string ?? "_default._default"
            let place = collection == "_default._default" ? "" : " in \(collection)"
            return "\(wait["for"]?.string ?? "?")\(place), \(seconds) s"
        }
    }
}

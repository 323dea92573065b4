import DivanCommandLine
import DivanJSON

/// What a replication of a published status waits for, where that is worth a look.
struct StatusWaits {
    /// Seconds from which on a wait is told: shorter ones belong to every sync.
    private static let leastSeconds: UInt64 = 2
    private static let lineCount = 3

    /// One wait a line: `reply to rev of soup, 12 s`.
    let lines: [String]

    init(_ status: JSONObject) {
        var lines: [String] = []
        if status["responding"] == .bool(false) {
            lines.append(
                "its own thread: a filter, a listener without a queue or the disk holds it up"
            )
        }
        // The line of an offline one says when it tries again.
        let isOffline = status["activity"]?.string == "offline"
        let waits = (status["waits"]?.array ?? []).compactMap(\.object).filter { wait in
            !isOffline && wait["seconds"]?.count ?? 0 >= Self.leastSeconds
        }
        lines += waits.prefix(Self.lineCount).map { wait in
            let collection = wait["collection"]?.string ?? "_default._default"
            let place = collection == "_default._default" ? "" : " in \(collection)"
            return "\(wait["for"]?.string ?? "?")\(place), \(wait["seconds"]?.count ?? 0) s"
        }
        if waits.isEmpty, !isOffline, let stall = status["stall"]?.string { lines.append(stall) }
        if waits.count > Self.lineCount {
            lines.append("and \(Numbers.grouped(UInt64(waits.count - Self.lineCount))) more")
        }
        self.lines = lines
    }
}

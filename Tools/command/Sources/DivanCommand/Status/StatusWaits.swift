import DivanCommandLine
import DivanJSON

/// What a replication or a listener of a published status waits for, if that is noteworthy.
struct StatusWaits {
    /// Seconds after which a wait is reported: shorter ones are part of every sync.
    private static let leastSeconds: UInt64 = 2
    private static let lineCount = 3

    /// One wait per line: `reply to rev of soup, 12 s`; for a listener, with the peer that it waits for.
    let lines: [String]

    init(_ status: JSONObject) {
        var lines: [String] = []
        if status["responding"] == .bool(false) {
            lines.append(
                "its own thread: a filter, a listener without a queue or the disk holds it up"
            )
        }
        // The line of an offline one says when it retries.
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

import DivanCommandLine
import DivanJSON

/// The contents of `divan top`, and how keys change them.
///
/// Theory of operation. A poll replaces the entries, and adds to the history of each entry's rate. In the list, keys
/// move the selection, open its details, select the order, or begin a filter; while a filter is typed, every other key
/// is part of it. The selection follows its entry from poll to poll.
struct TopScreen {
    private enum Mode {
        case list
        case typing
        case help
    }

    private static let help = [
        "Up, k / Down, j  select a line", "Enter            show or hide its details",
        "/                filter the lines; Esc shows all",
        "s / r            sort by the next column / reverse the order",
        "?                show this help", "q, Ctrl-C        quit",
    ]
    /// Polls that a line of rates shows.
    private static let historyCount = 8
    /// In a narrower terminal, the rates would hide conflicts and peers.
    private static let widthForHistory = 100

    private var mode = Mode.list
    private var filter = ""
    private var entries: [RunningDatabases.Entry] = []
    private var histories: [RunningDatabases.Entry.Name: [UInt64]] = [:]
    private var chosen: RunningDatabases.Entry.Name?
    private var isOpen = false
    private var order = TopOrder()

    /// Takes the entries found by a poll.
    mutating func take(_ found: [RunningDatabases.Entry]) {
        entries = found
        var kept: [RunningDatabases.Entry.Name: [UInt64]] = [:]
        for entry in found {
            let rate = TopLine(entry).documentRate
            kept[entry.name] = ((histories[entry.name] ?? []) + [rate]).suffix(Self.historyCount)
        }
        histories = kept
    }

    /// Handles a key; `false` if it ends the view.
    mutating func press(_ key: Keyboard.Key) -> Bool {
        if key == .end { return false }
        switch mode {
        case .typing: type(key)
        case .help: mode = .list
        case .list:
            switch key {
            case .character("q"): return false
            case .character("/"):
                mode = .typing
                filter = ""
            case .character("?"): mode = .help
            case .up, .character("k"): move(by: -1)
            case .down, .character("j"): move(by: 1)
            case .enter:
                isOpen.toggle()
                chosen = chosen ?? shown.first?.name
            case .escape: filter = ""
            case .character("s"): order.selectNext()
            case .character("r"): order.isReversed.toggle()
            default: break
            }
        }
        return true
    }

    /// The lines, none wider than `width` cells.
    func lines(width: Int, now: Int64) -> [String] {
        if mode == .help { return Self.help }
        let hasHistory = width >= Self.widthForHistory
        let shown = shown
        var lines = [heading(of: shown)]
        let choice = choice(of: shown)
        if shown.isEmpty {
            lines.append(
                entries.isEmpty ? "Nothing is running" : "No line contains \"\(filter)\""
            )
        } else {
            lines.append("  " + TopLine.titles(hasHistory: hasHistory))
        }
        for entry in shown {
            let line = TopLine(entry, among: entries)
            let isChosen = entry.name == choice
            let history = hasHistory ? histories[entry.name] ?? [] : nil
            lines.append((isChosen ? "> " : "  ") + line.text(history))
            if isChosen, isOpen {
                lines += StatusPage(entry.status).lines(now: now).map { "    " + $0 }
            } else {
                lines += line.problems.map { "    ! " + $0 }
            }
        }
        return lines.map { $0.escapingControlCharacters().cut(toCells: width) }
    }

    private func heading(of shown: [RunningDatabases.Entry]) -> String {
        let count = Numbers.count(shown.count, "process", "processes")
        switch mode {
        case .typing: return "/" + filter + "_"
        default:
            let filtered = filter.isEmpty ? "" : ", filtered by \"\(filter)\""
            let totals = TopTotals(shown).text
            return "divan top: \(count)\(filtered)\(order.text)  (? for keys)\(totals)"
        }
    }

    private var shown: [RunningDatabases.Entry] {
        guard !filter.isEmpty else { return order.sorted(entries) }
        let wanted = filter.lowercased()
        return order.sorted(
            entries.filter { JSON.object($0.status).canonicalText.lowercased().contains(wanted) }
        )
    }

    /// The entry that keys act on: the selected one while it is shown, or the first.
    private func choice(of shown: [RunningDatabases.Entry]) -> RunningDatabases.Entry.Name? {
        (shown.first { $0.name == chosen } ?? shown.first)?.name
    }

    private mutating func move(by count: Int) {
        let shown = shown
        let choice = choice(of: shown)
        guard let place = shown.firstIndex(where: { $0.name == choice }) else { return }
        chosen = shown[min(max(place + count, 0), shown.count - 1)].name
    }

    private mutating func type(_ key: Keyboard.Key) {
        switch key {
        case .character(let character): filter.append(character)
        case .backspace: filter = String(filter.dropLast())
        case .enter: mode = .list
        case .escape:
            filter = ""
            mode = .list
        case .up, .down, .end: break
        }
    }
}

/// One entry as a line of a table.
struct TopLine {
    private let status: JSONObject
    private let database: String

    /// If several databases have the same name, the line shows more of their paths.
    init(_ entry: RunningDatabases.Entry, among others: [RunningDatabases.Entry] = []) {
        status = entry.status
        let path = DatabasePath(entry.name.bundle.text)
        let rivals = others.map { DatabasePath($0.name.bundle.text) }
            .filter { $0.name == path.name && $0.parent != path.parent }
        let told = entry.status["database"]?.string ?? "?"
        database = rivals.isEmpty ? told : path.name(unlike: rivals)
    }

    var documentRate: UInt64 { status["rates"]?.object?["documents"]?.count ?? 0 }
    var byteRate: UInt64 { status["rates"]?.object?["bytes"]?.count ?? 0 }
    var pendingCount: UInt64? { status["pending"]?.count }
    var conflictCount: UInt64? { status["conflicts"]?.object?["open"]?.count }

    /// Documents sent and received so far.
    var documentCount: UInt64 {
        let documents = status["documents"]?.object ?? [:]
        return ["sent", "received", "pulled", "pushed"]
            .reduce(UInt64(0)) { $0 + (documents[$1]?.count ?? 0) }
    }

    /// The last error, and what it is waiting for.
    var problems: [String] {
        let error = text("error").flatMap { $0.isEmpty ? nil : $0 }
        let wait = StatusWaits(status).lines.first.map { "waiting for " + $0 }
        return [error, wait].compactMap(\.self)
    }

    /// The column titles.
    static func titles(hasHistory: Bool) -> String {
        row([
            "COMMAND", "DATABASE", "STATE", "DOCS", "DOCS/S", hasHistory ? "RATE" : nil,
            "BYTES/S", "PENDING", "CONFL", "PEERS",
        ])
    }

    /// The line; without a history, the column of rates is left out.
    func text(_ history: [UInt64]?) -> String {
        let isTold = status["rates"] != nil
        var columns: [String?] = [text("verb") ?? "?", database, state]
        columns.append(isTold ? Numbers.grouped(documentCount) : "")
        columns.append(isTold ? Numbers.grouped(documentRate) : "")
        columns.append(history.map(Self.drawing))
        columns.append(isTold ? Numbers.bytes(byteRate) : "")
        columns.append(pendingCount.map { Numbers.grouped($0) } ?? "")
        columns.append(conflictCount.map { Numbers.grouped($0) } ?? "")
        columns.append(peers)
        return Self.row(columns)
    }

    private var state: String {
        if let activity = text("activity") { return activity }
        let active = status["connections"]?.object?["active"]?.count ?? 0
        return active > 0 ? "busy" : "listening"
    }

    /// The peers that it is connected to.
    private var peers: String {
        if let url = text("url") { return url }
        guard let count = status["connections"]?.object?["open"]?.count else { return "" }
        return Numbers.count(count, "peer")
    }

    private func text(_ key: String) -> String? {
        guard case .string(let text)? = status[key] else { return nil }
        return text
    }

    /// Bars scaled from the least to the greatest of the rates.
    private static func drawing(_ rates: [UInt64]) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let most = rates.max() ?? 0
        guard most > 0 else { return String(repeating: bars[0], count: rates.count) }
        // Counts are at most 2⁵³ (`JSON.count`).
        return String(rates.map { bars[Int($0 * UInt64(bars.count - 1) / most)] })
    }

    private static func tail(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : "…" + text.suffix(width - 1)
    }

    /// Columns of fixed widths, the last one as wide as its text; `nil` omits a column.
    private static func row(_ columns: [String?]) -> String {
        let widths = [8, 13, 11, 8, 7, 9, 9, 8, 6]
        let cells = zip(columns.dropLast(), widths).compactMap { text, width in
            // Of a path that is too long the end is shown.
            text.map { $0.contains("/") ? tail($0, width - 1) : $0.cut(toCells: width - 1) }
                .map { $0.padding(to: width) }
        }
        var line = cells.joined() + (columns.last.flatMap(\.self) ?? "")
        while line.last == " " { line.removeLast() }
        return line
    }
}

extension DatabasePath {
    /// The name with as many of its directories as distinguish it from others of the same name.
    fileprivate func name(unlike rivals: [DatabasePath]) -> String {
        let own = parent.split(separator: "/")
        let others = rivals.map { $0.parent.split(separator: "/") }
        let count = (1...max(1, own.count)).first { count in
            !others.contains { $0.suffix(count) == own.suffix(count) }
        }
        return (own.suffix(count ?? own.count) + [name[...]]).joined(separator: "/")
    }
}

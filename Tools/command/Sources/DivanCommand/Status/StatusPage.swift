import DivanCommandLine
import DivanJSON

/// A published status in readable form.
struct StatusPage {
    private let status: JSONObject

    init(_ status: JSONObject) {
        self.status = status
    }

    /// The page; `now` is milliseconds since 1970.
    func lines(now: Int64) -> [String] {
        let lines: [String] =
            if text("verb") == "mesh" {
                MeshPage(status).lines
            } else if status["documents"] == nil {
                // It only has the database open, and publishes no figures.
                [heading(text("url")), "  \(activity(now))"]
            } else if text("verb") == "serve" {
                serveLines(now)
            } else {
                replicationLines(now)
            }
        return lines.map { $0.escapingControlCharacters() }
    }

    private func heading(_ place: String) -> String {
        [text("verb"), text("database"), place, process].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    private func replicationLines(_ now: Int64) -> [String] {
        let mode = status["continuous"] == .bool(true) ? "continuous" : ""
        let place = [text("url"), mode].filter { !$0.isEmpty }.joined(separator: ", ")
        var lines = [heading(place), "  \(activity(now))"]
        lines += StatusWaits(status).lines.map { "  waiting for \($0)" }
        let documents = status["documents"]?.object ?? [:]
        lines.append(
            "  documents   \(counts(documents))\(of(documents)), "
                + "\(Numbers.grouped(number("rates", "documents")))/s"
        )
        for (name, value) in status["collections"]?.object ?? [:] {
            lines.append("    \(name)  \(counts(value.object ?? [:]))")
        }
        lines.append(
            "  bytes       received \(Numbers.bytes(number("bytes", "received"))), sent "
                + "\(Numbers.bytes(number("bytes", "sent"))), "
                + "\(Numbers.bytes(number("rates", "bytes")))/s"
                + compression
        )
        if let pending = status["pending"], pending != .null {
            let count = Numbers.count(number("pending"), "document")
            lines.append("  pending     \(count)")
        }
        let (settled, open) = (number("conflicts", "settled"), number("conflicts", "open"))
        if settled + open > 0 {
            lines.append(
                "  conflicts   \(Numbers.grouped(settled)) resolved, \(Numbers.grouped(open)) open"
            )
        }
        if let deltas = deltaLine { lines.append(deltas) }
        return lines
    }

    private func serveLines(_ now: Int64) -> [String] {
        let urls = status["urls"]?.array ?? []
        let places = urls.compactMap { url -> String? in
            guard case .string(let text) = url else { return nil }
            return text
        }
        var lines = [
            heading(places.joined(separator: ", ")),
            "  \(Numbers.count(number("connections", "open"), "peer")) connected, "
                + "\(Numbers.grouped(number("connections", "active"))) active, "
                + "\(Numbers.grouped(number("connections", "total"))) in total\(age(now))",
            "  documents   sent \(Numbers.grouped(number("documents", "sent"))), received "
                + "\(Numbers.grouped(number("documents", "received"))), "
                + "\(Numbers.grouped(number("rates", "documents")))/s",
            "  bytes       sent \(Numbers.bytes(number("bytes", "sent"))), received "
                + "\(Numbers.bytes(number("bytes", "received"))), "
                + "\(Numbers.bytes(number("rates", "bytes")))/s",
        ]
        if let deltas = deltaLine { lines.append(deltas) }
        lines += StatusWaits(status).lines.map { "  waiting for \($0)" }
        for peer in status["peers"]?.array ?? [] {
            guard let peer = peer.object else { continue }
            lines.append("    " + PeerLine.text(peer))
        }
        return lines
    }

    /// The process, with the name of its program unless that is `divan`.
    private var process: String {
        let program = text("program")
        let name = program.isEmpty || program == "divan" ? "" : "\(program), "
        return "(\(name)process \(number("pid")))"
    }

    private var deltaLine: String? {
        guard let deltas = status["deltas"]?.object else { return nil }
        let (sent, received) = (deltas["sent"]?.count ?? 0, deltas["received"]?.count ?? 0)
        guard sent + received > 0 else { return nil }
        let saved = Numbers.bytes(deltas["bytesSaved"]?.count ?? 0)
        return
            "  deltas      sent \(Numbers.grouped(sent)), received \(Numbers.grouped(received)), "
            + "\(saved) saved"
    }

    private var compression: String {
        switch text("compression") {
        case "": ""
        case "none": ", not compressed"
        case let codec: ", \(codec)"
        }
    }

    private func activity(_ now: Int64) -> String {
        var line = text("activity") + age(now)
        if let moment = try? Moment.reading(text("retryAt"), now: now) {
            line += "; next attempt in \(Self.wholeSeconds(moment - now))"
        }
        if !text("error").isEmpty { line += ": \(text("error"))" }
        return line
    }

    /// How long it has been running.
    private func age(_ now: Int64) -> String {
        guard let start = try? Moment.reading(text("started"), now: now) else { return "" }
        return "; running for \(Self.wholeSeconds(now - start))"
    }

    private static func wholeSeconds(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        return seconds < 10 ? "\(seconds) s" : Numbers.seconds(Double(seconds))
    }

    private func counts(_ object: JSONObject) -> String {
        let names = ["pulled", "pushed", "deleted", "errors", "accessRemoved"]
        return names.compactMap { name in
            let count = object[name]?.count ?? 0
            let isAlways = name == "pulled" || name == "pushed"
            return isAlways || count > 0 ? "\(Numbers.grouped(count)) \(Self.word(name))" : nil
        }.joined(separator: ", ")
    }

    private static func word(_ name: String) -> String {
        name == "accessRemoved" ? "no longer accessible" : name
    }

    /// The expected number of documents, only while documents are transferred.
    private func of(_ documents: JSONObject) -> String {
        guard text("activity") == "busy" else { return "" }
        let done = (documents["pulled"]?.count ?? 0) + (documents["pushed"]?.count ?? 0)
        let expected = number("expected")
        return expected > done ? " of \(Numbers.grouped(expected))" : ""
    }

    private func text(_ key: String) -> String {
        guard case .string(let text)? = status[key] else { return "" }
        return text
    }

    private func number(_ keys: String...) -> UInt64 {
        var value: JSON? = .object(status)
        for key in keys { value = value?.object?[key] }
        return value?.count ?? 0
    }
}

extension JSON {
    /// The value as a count, at most 2⁵³; `nil` if it is not one.
    var count: UInt64? {
        let count: UInt64? =
            switch self {
            case .int(let value): UInt64(exactly: value)
            case .uint(let value): value
            case .double(let value): UInt64(exactly: value.rounded())
            default: nil
            }
        // The value comes from another program: a sum of several must fit into 64 bits.
        return count.map { min($0, 1 << 53) }
    }
}

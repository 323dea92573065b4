import DivanMesh

/// A mesh as an SVG picture: the peers on a circle in the order of the ring, and a line for each link.
///
/// It has its own style sheet for light and dark pages. Reasons differ in color and dashes.
public struct MeshPicture: Sendable {
    private static let rowHeight = 20.0
    private static let leastRadius = 120.0
    private static let margin = 24.0
    /// The distance of a label from its peer.
    private static let labelDistance = 14.0
    /// The advance of a character of the font, in pixels.
    private static let characterWidth = 7.3
    private static let nameLength = 24

    /// The reasons in the legend; `nil` is the unknown reason.
    private static let reasons: [MeshLinkStatus.Reason?] = [
        .ring, .hash, .bridge, .seed, .surplus, nil,
    ]

    private let graph: MeshGraph
    private let labels: [Label]
    private let places: [(x: Double, y: Double)]
    private let width: Double
    private let circleHeight: Double

    /// A peer's name, and what is known about it.
    private struct Label {
        let name: String
        let details: String

        var width: Double {
            (name + " " + details).unicodeScalars
                .reduce(0) { $0 + ($1.isASCII ? 1 : 2) } * MeshPicture.characterWidth
        }
    }

    /// Draws a graph.
    public init(_ graph: MeshGraph) {
        self.graph = graph
        labels = Self.labels(of: graph)
        let rightCount = (graph.peers.count + 1) / 2
        let radius = max(Self.leastRadius, Double(rightCount) * Self.rowHeight / 2)
        let labelWidth = labels.map(\.width).max() ?? 0
        let side = radius + Self.labelDistance + labelWidth + Self.margin
        width = (2 * side).rounded(.up)
        circleHeight = 2 * (radius + Self.margin)
        // Rows of equal height, so that the labels on one side never overlap, however many there are.
        places = graph.peers.indices.map { index in
            let isRight = index < rightCount
            let count = Double(isRight ? rightCount : graph.peers.count - rightCount)
            let row = Double(isRight ? index : graph.peers.count - 1 - index)
            let y = (row + 0.5) * 2 * radius / count - radius
            let x = max(0, radius * radius - y * y).squareRoot()
            return (side + (isRight ? x : -x), radius + Self.margin + y)
        }
    }

    private static func labels(of graph: MeshGraph) -> [Label] {
        var details = graph.peers.map(\.details)
        for link in graph.links { details[link.ends.second] += link.traffic?.figures ?? [] }
        return zip(graph.peers, details).map { peer, details in
            let isLong = peer.label.count > nameLength
            let name = isLong ? peer.label.prefix(nameLength - 1) + "…" : peer.label
            return Label(name: name, details: details.joined(separator: ", "))
        }
    }

    /// The picture as the text of an SVG file.
    public var svg: String {
        let height = circleHeight + Double(Self.reasons.count) * Self.rowHeight + Self.margin
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        let parts = graph.links.map(line) + graph.peers.indices.map(peer) + legend
        let lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)",
            "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" role=\"img\"",
            "aria-labelledby=\"title description\">",
            "<title id=\"title\">\(title)</title>",
            "<desc id=\"description\">\(description)</desc>",
            "<style>\(Self.style)</style>",
            "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>",
        ]
        return (lines + parts + ["</svg>\n"]).joined(separator: "\n")
    }

    private var title: String {
        let omitted = graph.omittedPeerCount > 0 ? " (\(graph.omittedPeerCount) not shown)" : ""
        return "Mesh \(graph.group): \(graph.summary)\(omitted)".escapedXML
    }

    /// This peer's links, for readers who do not see the picture.
    private var description: String {
        let own = graph.links.filter { $0.traffic != nil }
            .map { "\(graph.peers[$0.ends.second].label) (\($0.reasonText))" }
        let text = own.isEmpty ? "no peer" : own.joined(separator: ", ")
        return "\(graph.peers[0].label) is linked to \(text).".escapedXML
    }

    private func line(_ link: MeshGraph.Link) -> String {
        let (first, second) = (places[link.ends.first], places[link.ends.second])
        var facts = [link.reasonText]
        if let traffic = link.traffic {
            facts += [traffic.direction, traffic.activity] + traffic.figures
        }
        let names = "\(graph.peers[link.ends.first].label) – \(graph.peers[link.ends.second].label)"
        let title = "\(names): \(facts.joined(separator: ", "))".escapedXML
        return
            "<g><title>\(title)</title>\(Self.line(link.reasonText, from: first, to: second))</g>"
    }

    private static func line(
        _ name: String,
        from first: (x: Double, y: Double),
        to second: (x: Double, y: Double)
    ) -> String {
        "<line class=\"\(name)\" x1=\"\(number(first.x))\" y1=\"\(number(first.y))\" "
            + "x2=\"\(number(second.x))\" y2=\"\(number(second.y))\"/>"
    }

    private func peer(_ index: Int) -> String {
        let (peer, place, label) = (graph.peers[index], places[index], labels[index])
        let isLeft = place.x < width / 2
        let x = place.x + (isLeft ? -Self.labelDistance : Self.labelDistance)
        let details =
            label.details.isEmpty
            ? "" : " <tspan class=\"faint\">\(label.details.escapedXML)</tspan>"
        return "<g><title>\(peer.id)</title>\(Self.mark(of: peer, at: place))"
            + "<text class=\"label\" x=\"\(Self.number(x))\" y=\"\(Self.number(place.y + 4))\" "
            + "text-anchor=\"\(isLeft ? "end" : "start")\">\(label.name.escapedXML)\(details)</text></g>"
    }

    private static func mark(of peer: MeshGraph.Peer, at place: (x: Double, y: Double)) -> String {
        mark(peer.isOwn ? "own" : peer.isOnline ? "online" : "offline", at: place)
    }

    private static func mark(_ name: String, at place: (x: Double, y: Double)) -> String {
        "<circle class=\"\(name)\" cx=\"\(number(place.x))\" cy=\"\(number(place.y))\" r=\"6\"/>"
    }

    private var legend: [String] {
        let lines = Self.reasons.enumerated().map { row, reason in
            let (name, y) = (reason?.rawValue ?? "other", legendRow(row))
            let line = Self.line(name, from: (Self.margin, y), to: (Self.margin + 40, y))
            return "<g>\(line)\(Self.caption("\(name) link", Self.margin + 50, y))</g>"
        }
        let marks = [("own", "this peer"), ("online", "online"), ("offline", "offline")]
        return lines
            + marks.enumerated().map { row, mark in
                let y = legendRow(row)
                return "<g>\(Self.mark(mark.0, at: (Self.margin + 180, y)))"
                    + "\(Self.caption(mark.1, Self.margin + 195, y))</g>"
            }
    }

    private func legendRow(_ row: Int) -> Double {
        circleHeight + (Double(row) + 0.5) * Self.rowHeight
    }

    private static func caption(_ text: String, _ x: Double, _ y: Double) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y + 4))\">\(text)</text>"
    }

    private static func number(_ value: Double) -> String { "\(Int(value.rounded()))" }

    private static let style = [
        ":root { --paper: #fff; --ink: #1c2321; --faint: #5c6764; --ring: #1f6b58;",
        "  --hash: #1a4fa0; --bridge: #a3271d; --seed: #7a4b00; }",
        "@media (prefers-color-scheme: dark) { :root {",
        "  --paper: #1e2223; --ink: #e4e9e7; --faint: #96a19e; --ring: #6fc3ab;",
        "  --hash: #8db7f5; --bridge: #ff9385; --seed: #e5b567; } }",
        "text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); }",
        ".faint { fill: var(--faint); }",
        ".paper { fill: var(--paper); }",
        "line { stroke: var(--faint); stroke-width: 1.5; }",
        "line.ring { stroke: var(--ring); stroke-width: 2.5; }",
        "line.hash { stroke: var(--hash); }",
        "line.bridge { stroke: var(--bridge); stroke-width: 2.5; stroke-dasharray: 8 4; }",
        "line.seed { stroke: var(--seed); stroke-width: 2; stroke-dasharray: 2 4; }",
        "line.surplus { stroke-dasharray: 8 3 2 3; }",
        "line.other { stroke-width: 1; opacity: 0.6; }",
        "circle { fill: var(--paper); stroke: var(--ring); stroke-width: 2; }",
        "circle.own { fill: var(--ring); }",
        "circle.offline { fill: var(--faint); stroke: var(--faint); }",
    ].joined(separator: "\n")
}

extension String {
    /// The text for XML; characters that XML does not allow, and control characters, are replaced.
    fileprivate var escapedXML: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}"..."\u{FFFF}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

import DivanCharts
import Foundation

/// The pictures of `Docs/performance`, drawn from the figures of one or several runs; what was not measured
/// is not drawn, and an older picture stays.
struct Pictures {
    private let figures: [Figure]
    private let series: [Series]
    /// The date, and the commit.
    private let origin: String

    init(of reports: [Report]) {
        figures = reports.flatMap(\.figures)
        series = reports.flatMap { $0.series ?? [] }
        let all = reports.compactMap(\.circumstances)
        let commits = Set(all.map { String($0.commit.prefix(12)) }).sorted()
        let days = Set(all.map { String($0.date.prefix(10)) }).sorted()
        let load = all.map(\.load).max().map { String(format: ", load %.1f", $0) } ?? ""
        origin = "commit \(commits.joined(separator: ", ")), \(days.joined(separator: ", "))" + load
    }

    /// Writes each picture for which there are figures.
    func write(to folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        let all = [
            ("reference", reference), ("floors", floors), ("links", links), ("many", many),
            ("stages", stages), ("long-pull", longPull),
        ]
        for (name, source) in all + vectors {
            guard let source else { continue }
            try Data(source.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).svg"))
            say("Drawn: \(folder)/\(name).svg")
        }
    }

    // MARK: Bars

    private var reference: String? {
        let figures = self.figures.filter {
            $0.name.hasPrefix("reference: ") && $0.floor != nil && !$0.name.contains("fastDeflate")
        }
        return bars(
            figures.map { figure in
                let name = figure.name.replacing(", none", with: ", plain")
                return (figure, name.dropFirst("reference: ".count))
            },
            title: "Divan beside the reference engine",
            remark: "times as fast, or as small; the engine was measured on another day; \(origin)",
            unity: "as the engine"
        )
    }

    private static let floorNames = [
        ("sync: pull 1.2 KB, TLS", "pull of 1.2 KB, TLS"),
        ("sync: push 1.2 KB, TLS", "push of 1.2 KB, TLS"),
        ("sync: pull 199 B, TLS", "pull of 199 B, TLS"),
        ("sync: pull 5.6 KB, TLS", "pull of 5.6 KB, TLS"),
        ("sync: pull 1.2 KB, ISA-L, TLS", "pull, deflate by ISA-L beside zlib -6"),
        ("sync: pull of a blob of 100 MB, TLS", "pull of a blob of 100 MB"),
        ("document save, public, 1,000 in inBatch", "public save, 1,000 in a batch"),
        ("document save, one a transaction, NORMAL", "a save a transaction"),
        ("document read by ID, public, one field", "read by ID, one field"),
        ("document read by ID, public, as dictionary", "read by ID, dictionary"),
        ("blob 100 MB, save", "save of a blob of 100 MB"),
        ("TLS connects with password, to the first reply", "TLS connects with password"),
        ("stream, TLS, two processes, 64 KB messages", "a stream over TLS"),
    ]

    private var floors: String? {
        let figures = Self.floorNames.compactMap { name, short in
            self.figures.first { $0.name == name }.map { ($0, Substring(short)) }
        }
        return bars(
            figures,
            title: "Divan beside plain C with the unavoidable part of the same work",
            remark: "the share of what it reaches; \(origin)",
            unity: "plain C",
            least: nil
        )
    }

    private var links: String? {
        let figures = self.figures.filter { $0.name.hasPrefix("links: ") }
        return bars(
            figures.map { ($0, $0.name.dropFirst("links: .automatic at ".count)) },
            title: "Compression .automatic beside the best fixed choice",
            remark: "pulls over links with a rate and a latency each way; \(origin)",
            unity: "the best choice",
            least: 0.9
        )
    }

    private func bars(
        _ figures: [(figure: Figure, name: Substring)],
        title: String,
        remark: String,
        unity: String,
        least: Double? = 1
    ) -> String? {
        let bars = figures.compactMap { figure, name -> RatioBars.Bar? in
            guard let floor = figure.floor, floor > 0, figure.ours > 0 else { return nil }
            // For sizes and times, less is better.
            let isInverse = ["MB", "bytes", "B", "ms", "µs"].contains(figure.unit)
            let both = "\(Self.number(figure.ours)) and \(Self.number(floor)) \(figure.unit)"
            return RatioBars.Bar(
                name: String(name),
                ratio: isInverse ? floor / figure.ours : figure.ours / floor,
                remark: both
            )
        }
        guard !bars.isEmpty else { return nil }
        return RatioBars(
            title: title,
            remark: remark,
            unity: unity,
            least: least,
            bars: bars
        ).source
    }

    private static func number(_ value: Double) -> String {
        let digits = String(format: value < 100 ? "%.1f" : "%.0f", value)
        guard digits.count > 3, !digits.contains(".") else { return digits }
        return "\(digits.dropLast(3)),\(digits.suffix(3))"
    }

    // MARK: Curves

    private var many: String? {
        let curves = ["pulled", "pushed"].map { verb in
            let points = self.figures.compactMap { figure -> (x: Double, y: Double)? in
                let words = figure.name.split(separator: " ")
                guard figure.name.hasPrefix("many: \(verb) by "), figure.unit == "docs/s",
                    words.count > 3, let count = Double(words[3].filter(\.isNumber))
                else { return nil }
                return (count, figure.ours)
            }
            return Curves.Curve(name: "documents a second \(verb), all together", points: points)
        }
        guard curves.contains(where: { !$0.points.isEmpty }) else { return nil }
        return Curves(
            title: "One listener and its clients",
            remark: "documents of 1.2 KB over TLS, clients on the same machine; \(origin)",
            axis: "clients at once",
            isLogarithmic: true,
            curves: curves
        ).source
    }

    private var stages: String? {
        let all = self.figures.compactMap { figure -> (count: Double, of: String, Figure)? in
            let words = figure.name.split(separator: " documents: ")
            guard words.count == 2, let count = Double(words[0]) else { return nil }
            return (count, String(words[1]), figure)
        }
        let first = all.filter { $0.count == all.first?.count }
        let curves = first.compactMap { count, name, figure -> Curves.Curve? in
            guard figure.ours > 0 else { return nil }
            let start = "\(Self.number(figure.ours)) \(figure.unit) at \(Self.number(count))"
            let points = all.filter { $0.of == name }
                .map { ($0.count, $0.2.ours / figure.ours) }
            return Curves.Curve(name: "\(name): \(start)", points: points)
        }
        guard all.count > first.count else { return nil }
        return Curves(
            title: "What grows with a database, and what does not",
            remark: "documents of 199 bytes, times the smallest database's; \(origin)",
            axis: "documents in the database",
            isLogarithmic: true,
            curves: curves
        ).source
    }

    private var longPull: String? {
        let line = series.first { $0.name.hasPrefix("pull of 1,000,000") }
        guard let line else { return nil }
        return Curves(
            title: "A pull of 1,000,000 documents",
            remark: "1.2 KB each over TLS, mean of each second; \(origin)",
            axis: "seconds",
            curves: [
                Curves.Curve(
                    name: "documents a second",
                    points: line.points.map { ($0.x, $0.y) }
                )
            ]
        ).source
    }

    /// A picture for each set of vectors: how many queries a second find which share of the neighbours.
    private var vectors: [(name: String, source: String?)] {
        let searches = figures.compactMap { figure -> VectorSearchPoint? in
            VectorSearchPoint(figure)
        }
        return Set(searches.map(\.set)).sorted().map { set in
            let own = searches.filter { $0.set == set }
            let curves = Set(own.map(\.library)).sorted().map { library in
                let points = own.filter { $0.library == library }.map { ($0.recall, $0.rate) }
                return Curves.Curve(name: library, points: points.sorted { $0.0 < $1.0 })
            }
            let picture = Curves(
                title: "Queries a second, by the share of the ten nearest vectors that are found",
                remark: "\(set), one thread; \(origin)",
                axis: "recall of 10",
                curves: curves
            )
            let name = set.split(separator: " ").last ?? ""
            return ("vectors-\(name)", picture.source)
        }
    }
}

/// The rate and the recall of a vector search, such as `100k × 384: faiss, 8 cells`.
private struct VectorSearchPoint {
    /// The vectors.
    let set: String
    let library: String
    let recall: Double
    let rate: Double

    init?(_ figure: Figure) {
        let parts = figure.name.split(separator: ": ")
        guard figure.unit == "1/s", figure.floorName.hasPrefix("recall "), parts.count == 2,
            let recall = Double(figure.floorName.dropFirst("recall ".count)),
            let library = parts[1].split(separator: ",").first
        else { return nil }
        set = String(parts[0])
        self.library = library == "queries" ? "Divan" : String(library)
        self.recall = recall
        rate = figure.ours
    }
}

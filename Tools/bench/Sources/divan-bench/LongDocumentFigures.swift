import DivanPlatform
import DivanTestKit
import Foundation

/// The memory that a document of 19 MiB, a long array or an object with many members, needs in each verb, in a REST
/// server and in a sync, beyond that of the same process with an empty document.
enum LongDocumentFigures {
    private static let byteCount = 19 << 20

    /// A database's name, which its files begin with, and its document.
    private struct Subject {
        let name: String
        let body: String

        static let all = [
            Subject(name: "empty", body: "{}"),
            Subject(
                name: "array",
                body:
                    #"{"a":[\#(String(repeating: "1,", count: LongDocumentFigures.byteCount / 2))1]}"#
            ),
            Subject(name: "members", body: "{" + members + "}"),
        ]

        private static var members: String {
            let numbers = 1_000_000..<1_000_000 + LongDocumentFigures.byteCount / 13
            return numbers.map { #""k\#($0)":1"# }.joined(separator: ",")
        }
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let divan = bench.deletingLastPathComponent().appendingPathComponent("divan").path
        guard FileManager.default.isExecutableFile(atPath: divan) else {
            throw BenchFailure("\(divan) is missing; run: Tools/scripts/trial release divan")
        }
        let place = Place(
            divan: divan,
            directory: try workplace.newDirectory(),
            meter: try ProcessRole.peak.start()
        )
        var figures: [(name: String, bytes: [Double])] = []
        for subject in Subject.all {
            let peaks = try place.peaks(of: subject)
            if figures.isEmpty { figures = peaks.map { ($0.name, []) } }
            for (index, peak) in peaks.enumerated() { figures[index].bytes.append(peak.bytes) }
        }
        for (index, subject) in Subject.all.enumerated().dropFirst() {
            for figure in figures {
                report.add(
                    Figure(
                        name: "memory of a 19 MiB document (\(subject.name)), \(figure.name)",
                        unit: "MB",
                        ours: (figure.bytes[index] - figure.bytes[0]) / 1e6,
                        floor: Double(byteCount) / 1e6,
                        floorName: "the document's text"
                    )
                )
            }
        }
    }

    /// Where verbs run.
    private struct Place {
        let divan: String
        let directory: String
        let meter: RunningProgram

        private func file(_ name: String) -> String { "\(directory)/\(name)" }

        /// The peak of a verb in bytes; names of databases and files are words that begin with a slash.
        private func peak(_ words: String..., input: String = "/dev/null") throws -> Double {
            let line = [input, file("output"), divan] + words
            let bytes = try meter.number(line.joined(separator: "\t"))
            guard bytes > 0 else {
                throw BenchFailure("divan \(words.joined(separator: " ")) failed")
            }
            return bytes
        }

        func peaks(of subject: Subject) throws -> [(name: String, bytes: Double)] {
            let database = file(subject.name)
            let (json, lines) = (database + ".json", database + ".jsonl")
            try subject.body.write(toFile: json, atomically: true, encoding: .utf8)
            let comma = subject.body == "{}" ? "" : ","
            try (#"{"_id":"d"\#(comma)"# + subject.body.dropFirst() + "\n")
                .write(toFile: lines, atomically: true, encoding: .utf8)
            try (#"{"0":0\#(comma)"# + subject.body.dropFirst())
                .write(toFile: database + "-changed.json", atomically: true, encoding: .utf8)
            for suffix in ["", "-in", "-rest", "-synced", "-hub"] {
                _ = try peak("new", database + suffix)
            }
            return [
                ("put", try peak("put", database, "d", input: json)),
                ("put over another", try peak("put", database, "d", input: json)),
                ("get", try peak("get", database, "d")),
                ("export", try peak("export", database)),
                ("import", try peak("import", database + "-in", lines)),
                ("dump", try peak("dump", database, database + ".dump")),
                ("restore", try peak("restore", database + "-again", database + ".dump")),
                ("check", try peak("check", database)),
                (
                    "REST PUT",
                    try servingPeak(database + "-rest") { url in
                        try curl(["-T", json, url + "/d"])
                    }
                ),
                (
                    "REST PUT over another",
                    try servingPeak(database + "-rest") { url in
                        try curl(["-T", json, "-H", "If-Match: *", url + "/d"])
                    }
                ),
                (
                    "REST GET",
                    try servingPeak(database) { url in
                        try curl(["-o", "/dev/null", url + "/d"])
                    }
                ),
            ] + (try syncPeaks(database))
        }

        private func syncPeaks(_ database: String) throws -> [(name: String, bytes: Double)] {
            var pull = 0.0
            let serving = try servingPeak(database, isREST: false) { url in
                pull = try peak("sync", database + "-synced", url)
            }
            // An update that is pushed.
            var (put, push) = (0.0, 0.0)
            let receiving = try servingPeak(database + "-hub", isREST: false) { url in
                _ = try peak("sync", database, url)
                put = try peak("put", database, "d", input: database + "-changed.json")
                push = try peak("sync", database, url)
            }
            return [
                ("sync", pull), ("sync, of the server", serving),
                ("put over a synced one", put), ("sync of an update", push),
                ("sync of an update, of the server", receiving),
            ]
        }

        /// The peak of a server while `body` uses its address.
        private func servingPeak(
            _ database: String,
            isREST: Bool = true,
            _ body: (String) throws -> Void
        ) throws -> Double {
            let words = ["serve", database, "--no-tls", "--interface", "127.0.0.1", "--json"]
            let server = try Program(divan).start(words + (isREST ? ["--rest", "0"] : []))
            let event = try server.event { $0["event"] as? String == "listening" }
            let peers = (event["urls"] as? [String])?.first
            let address = isREST ? event["rest"] as? String : peers
            guard let url = address else {
                throw BenchFailure("divan serve has no address")
            }
            let name = URL(fileURLWithPath: database).lastPathComponent
            try body(isREST ? url + name + "/_default" : url)
            let status = try String(
                contentsOfFile: "/proc/\(server.processIdentifier)/status",
                encoding: .utf8
            )
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let fields = line?.split(whereSeparator: \.isWhitespace) ?? []
            server.signal(.interrupt)
            _ = server.finish()
            guard fields.count > 1, let kilobytes = Double(fields[1]) else {
                throw BenchFailure("the peak memory of divan serve is unknown")
            }
            return kilobytes * 1_024
        }

        private func curl(_ words: [String]) throws {
            guard let curl = Program.installed("curl") else {
                throw BenchFailure("curl is not installed; run: sudo apt-get install curl")
            }
            let outcome = try curl.run(["-s", "-S", "-f"] + words)
            guard outcome.status == 0 else { throw BenchFailure("curl: \(outcome.errors)") }
        }
    }
}

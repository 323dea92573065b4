import DivanTestKit
import Foundation

/// Syncs two databases of two programs, with a conflict, in six steps.
struct Demo {
    private let divan: DivanProcess
    private let data = RealData()
    private let password = "demo-password.txt"
    private let certificate = "peer-a.pem"
    private var figures: [(name: String, value: String)] = []

    init(directory: String) throws {
        divan = try DivanProcess(directory: directory)
        try Data("\(UUID().uuidString)\n".utf8)
            .write(to: URL(fileURLWithPath: "\(directory)/\(password)"))
    }

    /// Runs all steps; throws if the two databases are not equal in the end.
    mutating func run() throws {
        try importData()
        var server = try serve()
        try pull(from: server.url)
        server.process.stop()
        try editApart()
        server = try serve(on: server.port)
        try syncContinuously(with: server)
        server.process.stop()
        try compare()
        printFigures()
    }

    private func importData() throws {
        step(
            1,
            "Create a database for peer A",
            "It contains the countries, subdivisions, languages, scripts and currencies of the",
            "world, from the iso-codes package. Each is a JSON document; the flag of a country is",
            "stored as a blob of its document."
        )
        let tables = try data.write(into: divan.directory)
        try divan.run(["new", "peer-a", "--collections", data.collections.joined(separator: ",")])
        for table in tables {
            try divan.run(["import", "peer-a", "-c", table.collection, table.file.lastComponent])
        }
        say(try divan.run(["info", "peer-a"]).indented, terminator: "")
    }

    private struct Server {
        var process: RunningProgram
        var url: String
        var port: Int
    }

    private func serve(on port: Int = 0) throws -> Server {
        if port == 0 {
            step(
                2,
                "Peer A accepts connections",
                "Connections are encrypted (TLS) with a certificate that peer A creates. Clients",
                "need a user name and a password."
            )
        }
        let process = try divan.start([
            "serve", "peer-a", "--interface", "127.0.0.1", "--port", "\(port)",
            "--user", "demo", "--password-file", password, "--write-certificate", certificate,
            "--json",
        ])
        let event = try process.event { $0["event"] as? String == "listening" }
        guard let url = (event["urls"] as? [String])?.first, let port = event["port"] as? Int else {
            throw DemoFailure("divan serve did not print its URL")
        }
        if port > 0 { say("    listening at \(url)") }
        return Server(process: process, url: url, port: port)
    }

    private func clientOptions() -> [String] {
        [
            "--user", "demo", "--password-file", password, "--pin", certificate,
            "--collections", data.collections.joined(separator: ","),
        ]
    }

    private mutating func pull(from url: String) throws {
        step(
            3,
            "Peer B, another program with an empty database, pulls everything",
            "It trusts only the certificate of peer A."
        )
        try divan.run(["new", "peer-b"])
        let report = "pull-report.json"
        say(
            try divan.run(["pull", "peer-b", url] + clientOptions() + ["--report", report])
                .indented,
            terminator: ""
        )
        let figures = try readReport(report)
        let seconds = figures.seconds
        self.figures += [
            ("documents pulled", figures.documents.grouped),
            ("blobs pulled", figures.blobs.grouped),
            ("bytes transferred", figures.bytes.grouped),
            ("seconds", String(format: "%.2f", seconds)),
            ("documents per second", Int(Double(figures.documents) / max(seconds, 0.001)).grouped),
        ]
    }

    private func editApart() throws {
        step(
            4,
            "Both peers change documents while they are offline",
            "Peer A has stopped. A and B change the same document in different ways, each changes",
            "another document, and A deletes one."
        )
        try edit("peer-a", "fr", "note", "written by A")
        try edit("peer-b", "fr", "note", "written by B, who edited twice")
        try edit("peer-b", "fr", "seen", "by B")
        try edit("peer-a", "it", "note", "only A wrote here")
        try edit("peer-b", "es", "note", "only B wrote here")
        try divan.run(["rm", "peer-a", "aq", "-c", "geo.countries"])
    }

    private func edit(_ peer: String, _ country: String, _ key: String, _ value: String) throws {
        let collection = ["-c", "geo.countries"]
        let text = try divan.run(["get", peer, country, "--raw"] + collection, shows: false)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard var body = object as? [String: Any] else {
            throw DemoFailure("\(peer) has no document \(country)")
        }
        body[key] = value
        let bytes = try JSONSerialization.data(withJSONObject: body, options: .sortedKeys)
        say("    \(peer): set \"\(key)\": \"\(value)\" in \(country)")
        let words = ["put", peer, country, String(decoding: bytes, as: UTF8.self)] + collection
        try divan.run(words, shows: false)
    }

    private mutating func syncContinuously(with server: Server) throws {
        step(
            5,
            "The peers sync again, and stay connected",
            "Changes are synced in both directions. Both peers have changed France, which is a",
            "conflict. By default, the revision with more edits wins on both peers; an app can",
            "merge the two revisions instead."
        )
        let sync = try divan.start(
            ["sync", "peer-b", server.url, "--continuous", "--json"] + clientOptions()
        )
        let conflict = try sync.event { $0["event"] as? String == "conflict" }
        let (id, winner) = (conflict["id"] ?? "?", conflict["kept"] ?? "?")
        say("    conflict in \(id): kept the \(winner) revision")
        _ = try sync.event {
            $0["event"] as? String == "status" && $0["activity"] as? String == "idle"
        }
        say("    in sync, waiting for changes")
        try pushFromThird(server)
        let arrival = try sync.event {
            $0["event"] as? String == "document" && $0["id"] as? String == "atlantis"
        }
        say("    peer B receives it: \(arrival["collection"] ?? "?")/\(arrival["id"] ?? "?")")
        sync.stop()
        figures.append(("conflicts resolved", "1"))
    }

    private func pushFromThird(_ server: Server) throws {
        say("    a third peer pushes a new document to A:")
        try divan.run(["new", "peer-c", "--collections", "geo.countries"], shows: false)
        try divan.run(
            ["put", "peer-c", "atlantis", "{\"name\":\"Atlantis\"}", "-c", "geo.countries"],
            shows: false
        )
        try divan.run([
            "push", "peer-c", server.url, "--user", "demo", "--password-file", password,
            "--pin", certificate, "--collections", "geo.countries",
        ])
    }

    private mutating func compare() throws {
        step(
            6,
            "Compare the databases",
            "All documents and blobs of both databases are compared, byte by byte."
        )
        let result = try divan.run(["compare", "peer-a", "peer-b"])
        say(result.indented, terminator: "")
        let france = try divan.run(
            ["get", "peer-a", "fr", "-c", "geo.countries", "--raw"],
            shows: false
        )
        guard france.contains("by B") else { throw DemoFailure("the wrong revision of fr won") }
        let lists = try divan.run(["ls", "peer-b", "aq", "-c", "geo.countries"], shows: false)
        guard lists.isEmpty else { throw DemoFailure("peer B still has the deleted document") }
    }

    private func readReport(_ file: String) throws -> Report {
        let url = URL(fileURLWithPath: "\(divan.directory)/\(file)")
        return try JSONDecoder().decode(Report.self, from: Data(contentsOf: url))
    }

    private struct Report: Decodable {
        var documents: Int
        var blobs: Int
        var bytes: Int
        var seconds: Double
    }
}

// MARK: - Output

extension Demo {
    private func step(_ number: Int, _ title: String, _ lines: String...) {
        say("\n\(number). \(title)")
        for line in lines { say("   \(line)") }
        say()
    }

    private func printFigures() {
        let width = figures.map(\.name.count).max() ?? 0
        say("\n   The databases are equal. Figures of the first pull:\n")
        for (name, value) in figures {
            say("   \(name.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(value)")
        }
        say(
            """

               The same sync in an app:

                   let url = URL(string: "wss://peer-a.local:4984/peer-a")!
                   let database = try await Database.open("peer-b")
                   try await Sync(database, with: url, trust: .pinned(certificate)).run()
            """
        )
    }
}

extension String {
    fileprivate var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }

    fileprivate var indented: String {
        split(separator: "\n").map { "    \($0)\n" }.joined()
    }
}

extension Int {
    fileprivate var grouped: String {
        var text = ""
        for (index, digit) in String(self).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text = "," + text }
            text = String(digit) + text
        }
        return text
    }
}

import CDivanFloors
import Foundation

/// Pull and push between two processes over TLS, beside a skeleton in C that does only the
/// unavoidable steps.
enum SyncFigures {
    private static let rounds = 50

    private struct Outcome: Decodable {
        var documents: Int
        var seconds: Double
    }

    static func measure(
        _ documents: Documents,
        in directory: String,
        into report: inout Report
    ) throws {
        let count = Double(rounds * documents.bodies.count)
        let floor = documents.withFloor { floor_sync(directory, $0, rounds) }
        guard floor > 0 else { throw BenchFailure("the sync floor failed") }
        let commands = try Commands(directory: directory)
        try commands.writeDocuments(documents, rounds: rounds)
        try commands.run(["new", "full"])
        try commands.run(["import", "full", "documents.jsonl"])

        for verb in ["pull", "push"] {
            let (served, client) = verb == "pull" ? ("full", "empty-a") : ("empty-b", "full")
            for database in [served, client] where database != "full" {
                try commands.run(["new", database])
            }
            let outcome = try commands.sync(verb, client: client, served: served)
            guard Double(outcome.documents) == count else {
                throw BenchFailure("\(verb) moved \(outcome.documents) of \(Int(count)) documents")
            }
            report.add(
                Figure(
                    name: "\(verb), TLS, two processes, 1.2 KB",
                    unit: "docs/s",
                    ours: count / outcome.seconds,
                    floor: count / floor,
                    floorName: "two-process skeleton in C"
                )
            )
        }
    }

    /// The `divan` commands of the measurement.
    private struct Commands {
        let directory: String
        private let executable: URL

        init(directory: String) throws {
            self.directory = directory
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            executable = own.deletingLastPathComponent().appendingPathComponent("divan")
        }

        func writeDocuments(_ documents: Documents, rounds: Int) throws {
            var lines: [UInt8] = []
            for round in 0..<rounds {
                for (id, body) in zip(documents.ids, documents.bodies) {
                    lines += Array("{\"_id\":\"\(id)-\(round)\",".utf8) + body.dropFirst()
                    lines.append(UInt8(ascii: "\n"))
                }
            }
            try Data(lines).write(to: URL(fileURLWithPath: "\(directory)/documents.jsonl"))
        }

        func run(_ words: [String]) throws {
            let process = make(words)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw BenchFailure("divan \(words.joined(separator: " ")) failed")
            }
        }

        func sync(_ verb: String, client: String, served: String) throws -> Outcome {
            let server = make([
                "serve", served, "--interface", "127.0.0.1", "--port", "0", "--json",
                "--write-certificate", "\(served).pem",
            ])
            let output = Pipe()
            server.standardOutput = output
            server.standardError = FileHandle.nullDevice
            try server.run()
            defer {
                server.interrupt()
                server.waitUntilExit()
            }
            let url = try listeningURL(output.fileHandleForReading)
            try run([
                verb, client, url, "--pin", "\(served).pem", "--report", "report.json",
            ])
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/report.json"))
            return try JSONDecoder().decode(Outcome.self, from: bytes)
        }

        private func listeningURL(_ output: FileHandle) throws -> String {
            var line = Data()
            while !line.contains(UInt8(ascii: "\n")) {
                let bytes = output.availableData
                guard !bytes.isEmpty else { throw BenchFailure("divan serve ended early") }
                line += bytes
            }
            let first = line.prefix { $0 != UInt8(ascii: "\n") }
            let event = try JSONSerialization.jsonObject(with: Data(first)) as? [String: Any]
            guard let url = (event?["urls"] as? [String])?.first else {
                throw BenchFailure("divan serve did not say where it listens")
            }
            return url
        }

        private func make(_ words: [String]) -> Process {
            let process = Process()
            process.executableURL = executable
            process.arguments = words
            process.currentDirectoryURL = URL(fileURLWithPath: directory)
            return process
        }
    }
}

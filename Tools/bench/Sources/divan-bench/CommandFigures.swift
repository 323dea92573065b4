import DivanDatabase
import DivanPlatform
import DivanRevisions
import Foundation

/// How long a person waits for the command line, compared with an empty program in C.
enum CommandFigures {
    private static let documentCount = 10_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let divan = bench.deletingLastPathComponent().appendingPathComponent("divan").path
        guard FileManager.default.isExecutableFile(atPath: divan) else {
            throw BenchFailure("\(divan) is missing; run: Tools/scripts/trial release divan")
        }
        let directory = "\(workplace.directory)/listed.cblite2"
        let store = try Store.open(directory: directory)
        let bodies = workplace.documents.bodies
        try store.write { writer in
            for number in 0..<documentCount {
                let body = bodies[number % bodies.count]
                _ = try writer.save(
                    DocumentID(unchecked: "document-\(number)"),
                    in: .default,
                    body: body
                )
            }
        }
        try store.close()

        // `true` comes closest to a program that does nothing; they take turns.
        var best = (floor: Double.infinity, version: Double.infinity, listing: Double.infinity)
        for _ in 0..<10 {
            best.floor = min(best.floor, try seconds(["/bin/true"]))
            best.version = min(best.version, try seconds([divan, "--version"]))
            best.listing = min(best.listing, try seconds([divan, "ls", directory]))
        }
        for (name, seconds) in [
            ("divan --version", best.version),
            ("divan ls of 10,000 documents", best.listing),
        ] {
            report.add(
                Figure(
                    name: name,
                    unit: "ms",
                    ours: seconds * 1e3,
                    floor: best.floor * 1e3,
                    floorName: "a program in C that does nothing"
                )
            )
        }
    }

    /// Runs a program without output and waits for its end.
    private static func seconds(_ words: [String]) throws -> Double {
        let null = try FileDescriptor.open("/dev/null", [.writeOnly, .closeOnExec])
        defer { null.close() }
        var status: ChildProcess.Status?
        let seconds = Stopwatch.best(of: 1) {
            let child = try? ChildProcess.spawn(
                words[0],
                words,
                descriptors: [(null, as: .standardOutput)]
            )
            status = child?.wait()
        }
        guard status?.isSuccess == true else {
            throw BenchFailure("\(words.joined(separator: " ")) failed")
        }
        return seconds
    }
}

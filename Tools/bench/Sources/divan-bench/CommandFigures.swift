import DivanRevisions
import DivanStore
import Foundation
import Glibc

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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var status: Int32 = -1
        let seconds = Stopwatch.best(of: 1) {
            var process = pid_t()
            if posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 {
                waitpid(process, &status, 0)
            }
        }
        guard status == 0 else { throw BenchFailure("\(words.joined(separator: " ")) failed") }
        return seconds
    }
}

import DivanCommandLine
import DivanJSON
import Foundation

/// `divan log`.
enum LogCommand: Command {
    static let syntax = CommandSyntax(
        name: "log",
        aliases: ["logcat"],
        summary: "print log files, merged by time",
        operands: [.init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            .value(
                "--level",
                "LEVEL",
                completion: .word(of: LogLine.levels),
                "minimum level: debug, verbose, info, warning or error"
            ).grouped(.filters),
            .value("--domain", "LIST", isRepeating: true, "only these domains: DB,Sync,WS,…")
                .grouped(.filters),
            .value("--since", "WHEN", "entries since a date, or since a duration ago, such as 2h")
                .grouped(.filters),
            .json,
        ],
        details: """
            FILE is a log file written by LogSinks.file, or a directory of .cbllog files.
            """,
        examples: ["divan log ~/logs --level warning", "divan log ~/logs --domain Sync,WS --json"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        guard !arguments.operands.isEmpty else {
            throw Failure.usage("divan log: missing argument FILE")
        }
        let filter = try LogFilter(arguments)
        let files = try arguments.operands.flatMap(paths)
        var merge = LogMerge(try files.map { try LogFile($0) })
        try terminal.results { print in
            while let line = try merge.next() {
                if filter.accepts(line) {
                    try print(terminal.isJSON ? line.json : line.text)
                }
            }
        }
    }

    private static func paths(_ path: String) throws -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure(
                kind: .notFound,
                sentence: "\(path): no such file or directory",
                hint: "check the path"
            )
        }
        guard isDirectory.boolValue else { return [path] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            // The system's message does not include the path.
            throw Failure(
                kind: .database,
                sentence: "\(path): cannot read the directory",
                hint: "check the path and its permissions"
            )
        }
        let files = names.filter { $0.hasSuffix(".cbllog") }.sorted().map { "\(path)/\($0)" }
        guard !files.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "\(path): no .cbllog files found",
                hint: "set LogSinks.file in the program to write log files"
            )
        }
        return files
    }
}

/// The filter of `divan log`.
struct LogFilter {
    private let level: Int
    private let domains: Set<String>
    private let since: String

    init(_ arguments: Arguments) throws(Failure) {
        let name = arguments.value("--level")?.lowercased() ?? "debug"
        guard let level = LogLine.levels.firstIndex(of: name) else {
            throw .usage(
                "invalid value '\(name)' for '--level'",
                hint: "use \(LogLine.levels.joined(separator: ", "))"
            )
        }
        self.level = level
        domains = Set(arguments.list("--domain").map { $0.lowercased() })
        guard let text = arguments.value("--since") else {
            since = ""
            return
        }
        let now = Moment.now()
        let moment = try Moment.reading(text, now: now)
        // An offset reaches back from now: logs have no future.
        let isDistance = text.last?.isLetter == true && Int64(text.dropLast()) != nil
        // Without the Z, which would sort after the microseconds of a log's times.
        since = String(Moment.text(isDistance ? now - (moment - now) : moment).dropLast())
    }

    func accepts(_ line: LogLine) -> Bool {
        guard line.time >= since, domains.isEmpty || domains.contains(line.domain.lowercased())
        else { return false }
        // Words that are not a level are shown rather than hidden.
        guard let own = LogLine.levels.firstIndex(of: line.level.lowercased()) else { return true }
        return own >= level
    }
}

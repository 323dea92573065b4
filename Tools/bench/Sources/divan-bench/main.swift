import DivanPlatform
import DivanTestKit
import Foundation

/// `run` measures, `compare` compares two runs, `table` shows runs side by side, `draw` draws pictures of them,
/// `role` starts the bench as the other process of a figure.
let usage = """
    usage: divan-bench run [--only PREFIX | --steady] [--json FILE] [--commit ID] [--strict]
               [--documents COUNT] [--vectors FOLDER]
           divan-bench work \(Work.allCases.map(\.rawValue).joined(separator: "|")) COUNT
               [--control FIFO]
           divan-bench compare OLD.json NEW.json
           divan-bench table RUN.json…
           divan-bench draw RUN.json… FOLDER
    groups: \(Groups.all.map(\.name).joined(separator: ", "))
    steady: \(Groups.all.filter(\.isSteady).map(\.name).joined(separator: ", "))
    """
let words = Array(CommandLine.arguments.dropFirst())

/// Measures, and returns whether all requirements were reached.
func run(_ options: RunOptions) throws -> Bool {
    let groups = Groups.all.filter {
        $0.name.hasPrefix(options.prefix) && ($0.isSteady || !options.isSteady)
            && (!$0.readsVectors || options.vectorFolder != nil || options.prefix == $0.name)
    }
    guard !groups.isEmpty else {
        throw BenchFailure("no group begins with \"\(options.prefix)\"\n\(usage)")
    }
    let thresholds = try Thresholds.of(groups: groups.map(\.name), isStrict: options.isStrict)
    let workplace = try BenchContext(
        documentCount: options.documentCount,
        vectorFolder: options.vectorFolder
    )
    defer { workplace.remove() }
    var report = Report(.now(commit: options.commit), holdingTo: thresholds)
    for group in groups {
        try report.add(group: group.name, attempts: options.isSteady ? 3 : 1) {
            try group.measure(workplace, &$0)
        }
    }
    report.printVerdict()
    if let json = options.json { try report.write(to: json) }
    return report.misses.isEmpty
}

/// Runs as the other process of a figure.
func run(_ role: ProcessRole, _ words: [String]) throws {
    OwnProcess.raiseDescriptorLimit()
    switch role {
    case .server: try ServerRole().run()
    case .holder: try HolderRole(words).run()
    case .listener: try ListenerRole(words).run()
    case .pullers: try PullerRole(words).run()
    case .pushers: try PusherRole(words).run()
    case .link: try LinkRole(words).run()
    case .hostile: try HostileRole(words).run()
    case .opener: try OpenerRole(words).run()
    case .peer: try PeerRole(words).run()
    case .peak: PeakRole().run()
    case .cost: try CostRole(words).run()
    }
}

do {
    switch words.first {
    case _ where words.contains("--help"): print(usage)
    case "run":
        let options = try RunOptions(words.dropFirst())
        let isGood = try run(options)
        if !isGood, options.isStrict { CurrentProcess.exit(2) }
    case "work" where words.count == 3 || (words.count == 5 && words[3] == "--control"):
        guard let work = Work(rawValue: words[1]), let count = Int(words[2]), count > 0 else {
            throw BenchFailure(usage)
        }
        try work.run(count: count, control: words.count == 5 ? words[4] : nil)
    case "role":
        guard let role = words.dropFirst().first.flatMap(ProcessRole.init(rawValue:)) else {
            throw BenchFailure(
                "unknown role; the roles are \(ProcessRole.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        try run(role, Array(words.dropFirst(2)))
    case "compare" where words.count == 3 && !words[1].isEmpty && !words[2].isEmpty:
        Report.printComparison(try .read(words[1]), try .read(words[2]))
    case "table" where words.count >= 2:
        let table = RunTable(of: try words.dropFirst().map { try Report.read($0) })
        print(table.markdown)
    case "draw" where words.count >= 3:
        let reports = try words.dropFirst().dropLast().map { try Report.read($0) }
        try Pictures(of: reports).write(to: words[words.count - 1])
    default:
        throw BenchFailure(usage)
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("bench: \(error)\n".utf8))
    CurrentProcess.exit(1)
}

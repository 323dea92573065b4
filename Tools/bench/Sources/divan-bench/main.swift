import Foundation

/// `run` measures, `compare` compares two runs, `role` is how the bench starts itself as the other
/// process of a figure.
let usage = """
    usage: divan-bench run [--only PREFIX | --steady] [--json FILE] [--commit ID] [--strict]
           divan-bench work \(Work.allCases.map(\.rawValue).joined(separator: "|")) COUNT
               [--control FIFO]
           divan-bench compare OLD.json NEW.json
    groups: \(Group.all.map(\.name).joined(separator: ", "))
    steady: \(Group.all.filter(\.isSteady).map(\.name).joined(separator: ", "))
    """
let words = Array(CommandLine.arguments.dropFirst())

func value(of option: String) -> String? {
    words.firstIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
}

/// Measures, and returns whether everything that has to be reached was reached.
func run() throws -> Bool {
    let prefix = value(of: "--only") ?? ""
    let isSteady = words.contains("--steady")
    let groups = Group.all.filter { $0.name.hasPrefix(prefix) && ($0.isSteady || !isSteady) }
    guard !groups.isEmpty else { throw BenchFailure("no group begins with \(prefix)\n\(usage)") }
    let workplace = try Workplace()
    defer { workplace.remove() }
    var report = Report(.now(commit: value(of: "--commit")))
    for group in groups { try report.measure(group, in: workplace, attempts: isSteady ? 3 : 1) }
    report.sayVerdict()
    if let json = value(of: "--json") { try report.write(to: json) }
    return report.misses.isEmpty
}

do {
    switch words.first {
    case "run":
        let isGood = try run()
        if !isGood, words.contains("--strict") { exit(2) }
    case "work" where words.count >= 3:
        guard let work = Work(rawValue: words[1]), let count = Int(words[2]), count > 0 else {
            throw BenchFailure(usage)
        }
        try work.run(count: count, control: value(of: "--control"))
    case "role":
        guard let role = words.dropFirst().first.flatMap(ProcessRole.init(rawValue:)) else {
            throw BenchFailure(
                "role knows server, holder, listener, pullers, hostile, opener, peer and cost"
            )
        }
        try role.run(Array(words.dropFirst(2)))
    case "compare" where words.count == 3 && !words[1].isEmpty && !words[2].isEmpty:
        Report.sayComparison(try .read(words[1]), try .read(words[2]))
    default:
        throw BenchFailure(usage)
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("bench: \(error)\n".utf8))
    exit(1)
}

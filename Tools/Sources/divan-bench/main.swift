import Foundation

/// `divan-bench run [--json FILE]` measures; `divan-bench compare A B` compares two runs.
let words = Array(CommandLine.arguments.dropFirst())

func run(json: String?) throws {
    let directory = NSTemporaryDirectory() + "divan-bench-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var report = Report(time: Date().timeIntervalSince1970)
    let documents = try Documents()
    try JSONFigures.measure(documents, into: &report)
    try StoreFigures.measure(documents, in: directory, into: &report)
    try WireFigures.measureBLIP(documents, into: &report)
    try WireFigures.measureTLS(into: &report)
    try SyncFigures.measure(documents, in: directory, into: &report)
    if let json { try report.write(to: json) }
}

do {
    switch words.first {
    case "run":
        let json = words.firstIndex(of: "--json").flatMap { words.dropFirst($0 + 1).first }
        try run(json: json)
    case "compare" where words.count == 3 && !words[1].isEmpty && !words[2].isEmpty:
        Report.sayComparison(try .read(words[1]), try .read(words[2]))
    default:
        throw BenchFailure("usage: divan-bench run [--json FILE] | compare OLD.json NEW.json")
    }
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(1)
}

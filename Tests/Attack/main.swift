import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-attack run [--quick] [--work]` attacks a listener in another process and prints each reaction;
/// `divan-attack serve DIRECTORY` is that process.
let words = Array(CommandLine.arguments.dropFirst())

/// What the command prints about a listener without authentication.
func openDoor(_ directory: String) throws -> String {
    let divan = Program.built("divan")
    _ = try divan.run(["new", directory + "/open"])
    let server = try divan.start(
        ["serve", directory + "/open", "--interface", "0.0.0.0", "--no-tls"],
        errors: .amongLines
    )
    defer { _ = server.kill() }
    for _ in 0..<20 where try server.line().contains("no authentication: anyone") { return "told" }
    return "not told"
}

/// Reports the state of the listener, its memory and its log after the attacks.
private func reportAftermath(
    _ report: Report,
    _ good: GoodClient,
    _ attacked: AttackedProcess,
    _ memory: Int
) throws {
    let after = good.run()
    report.claim("a normal client afterwards", after ?? "synced", after == nil)
    report.claim("the listener's process", "runs", attacked.isRunning)
    let growth = try attacked.number("memory") - memory
    report.claim("its memory", "grew by \(growth >> 20) MiB", growth < 200 << 20)
    let log = try String(contentsOfFile: attacked.log, encoding: .utf8)
    let refusals = log.split(separator: "\n").filter { $0.contains("Refused 127.0.") }
    let told = refusals.filter { $0.hasPrefix("20") && $0.contains("user “ada”") }
    report.claim(
        "its \(refusals.count) lines about refusals",
        "\(told.count) begin with the time, and name the address and the user",
        !told.isEmpty
    )
    let leaks = Secrets.all.filter { log.contains($0) || log.contains(Request.basic($0)) }
    let tokens = ["ada:\(Secrets.password)", "ada:\(Secrets.wrongPassword)"]
        .map { Data($0.utf8).base64EncodedString() }.filter { log.contains($0) }
    report.claim(
        "its log of \(log.split(separator: "\n").count) lines",
        "holds \((leaks + tokens).count) secrets and bodies",
        leaks.isEmpty && tokens.isEmpty && !log.isEmpty
    )
}

/// Attacks, and returns the exit status.
func attack(isQuick: Bool, onlyWork: Bool) throws -> Int32 {
    let directory = NSTemporaryDirectory() + "divan-attack-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true
    )
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let authority = try CertificateAttacks.makeAuthority(in: directory)
    let attacked = try AttackedProcess(directory)
    let report = Report()
    let good = try GoodClient(directory, attacked.passwords)

    let before = good.run()
    report.claim("a normal client before", before ?? "synced", before == nil)
    let memory = try attacked.number("memory")
    WorkAttacks(attacked: attacked, report: report, isQuick: isQuick).run()
    if !isQuick {
        report.attack("divan serve without users, in one line", "told") { try openDoor(directory) }
    }
    HubAttacks(directory: directory, report: report).run()
    if onlyWork { return report.end() }
    good.start()
    RequestAttacks(attacked: attacked, report: report).run()
    CertificateAttacks(attacked: attacked, report: report, authority: authority).run()
    DocumentAttacks(attacked: attacked, report: report).run()
    if !isQuick { FloodAttacks(attacked: attacked, report: report).run() }
    let during = good.stop()
    if !isQuick { LifeAttacks(attacked: attacked, report: report).run() }

    report.heading("Afterwards")
    report.claim(
        "a normal client during all but the stops",
        "\(during.runCount) runs, \(during.failures.count) failed, the longest "
            + String(format: "%.1f s", during.longest) + (during.failures.first ?? ""),
        during.failures.isEmpty && during.runCount > 1
    )
    try reportAftermath(report, good, attacked, memory)
    return report.end()
}

do {
    // The other end may close during a write.
    Signal.brokenPipe.ignore()
    OwnProcess.raiseDescriptorLimit()
    switch words.first {
    case "run":
        CurrentProcess.exit(
            try attack(isQuick: words.contains("--quick"), onlyWork: words.contains("--work"))
        )
    case "serve" where words.count == 2: try AttackedListener(words[1]).run()
    default: throw AttackFailure("usage: divan-attack run [--quick] [--work]")
    }
} catch {
    FileHandle.standardError.write(Data("attack: \(error)\n".utf8))
    CurrentProcess.exit(2)
}

import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-kill-sync run [--kills N] [--documents N] [--seed S]` kills two syncing processes and
/// examines what they leave; `interrupt [--times N] [--documents N]` also cuts their connection and
/// counts what is sent twice; `converge [--runs N] [--rounds N] [--seed S]` lets several databases
/// sync in circles and kills them, each with the databases that `SCHEME` names; `fill`, `server`, `client`, `finish` and `peer` are those processes.
let words = Array(CommandLine.arguments.dropFirst()).filter { $0 != "--plain" }

func worker(_ side: Side) throws -> (Worker, port: UInt16) {
    let numbers = words.dropFirst(2).compactMap { UInt64($0) }
    guard words.count == 7, numbers.count == 5, let port = UInt16(exactly: numbers[0]) else {
        throw KillSyncFailure("\(side.rawValue): DIRECTORY PORT SEED COUNT LIFE THROUGH expected")
    }
    let worker = Worker(
        side: side,
        directory: words[1],
        workload: Workload(seed: numbers[1], count: Int(clamping: numbers[2])),
        life: Int(clamping: numbers[3]),
        through: Int(clamping: numbers[4]),
        isPlain: CommandLine.arguments.contains("--plain")
    )
    return (worker, port)
}

do {
    try AskedScheme.check()
    switch words.first {
    case "run":
        var conductor = try Conductor(
            seed: OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999)),
            kills: OwnProcess.number(after: "--kills", or: 300),
            documents: OwnProcess.number(after: "--documents", or: 50_000)
        )
        print(try conductor.run())
    case "interrupt":
        for isPush in [false, true] {
            var interrupter = try Interrupter(
                documents: OwnProcess.number(after: "--documents", or: 100_000),
                interruptions: OwnProcess.number(after: "--times", or: 20),
                isPush: isPush
            )
            print("interrupt: \(try interrupter.run())")
        }
    case "converge":
        let first = OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999))
        for run in 0..<OwnProcess.number(after: "--runs", or: UInt64(50)) {
            var convergence = try Convergence(
                seed: first &+ run,
                rounds: OwnProcess.number(after: "--rounds", or: 200)
            )
            print(try convergence.run())
            CurrentProcess.flushStandardOutput()
        }
    case "peer":
        guard words.count == 4, let port = UInt16(words[3]) else {
            throw KillSyncFailure("peer: NAME DIRECTORY PORT expected")
        }
        try await Peer(words[1], in: words[2], port: port).run()
    case "fill":
        guard words.count == 4, let side = Side(rawValue: words[1]), let count = Int(words[3])
        else {
            throw KillSyncFailure("fill: SIDE DIRECTORY COUNT expected")
        }
        let workload = Workload(seed: 0, count: 0)
        let worker = Worker(
            side: side,
            directory: words[2],
            workload: workload,
            life: 0,
            through: 0
        )
        try worker.fill(count: count)
    case "server":
        let (worker, port) = try worker(.server)
        try worker.serve(port: port)
    case "client":
        let (worker, port) = try worker(.client)
        try worker.sync(with: port)
    case "finish":
        let (worker, port) = try worker(.client)
        try await worker.finish(with: port)
    default:
        throw KillSyncFailure(
            "usage: divan-kill-sync run [--kills N] [--documents N] [--seed S]\n"
                + "       divan-kill-sync interrupt [--times N] [--documents N]\n"
                + "       divan-kill-sync converge [--runs N] [--rounds N] [--seed S]"
        )
    }
} catch {
    FileHandle.standardError.write(Data("kill-sync: \(error)\n".utf8))
    CurrentProcess.exit(1)
}

import Foundation

/// `divan-kill-sync run [--kills N] [--documents N] [--seed S]` kills two syncing processes and
/// looks at what they leave; `server`, `client` and `finish` are those processes.
let words = Array(CommandLine.arguments.dropFirst())

func number(after word: String, or standard: UInt64) -> UInt64 {
    words.firstIndex(of: word).flatMap { words.dropFirst($0 + 1).first }.flatMap { UInt64($0) }
        ?? standard
}

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
        through: Int(clamping: numbers[4])
    )
    return (worker, port)
}

do {
    switch words.first {
    case "run":
        var conductor = try Conductor(
            seed: number(after: "--seed", or: UInt64.random(in: 0...999_999)),
            kills: Int(clamping: number(after: "--kills", or: 300)),
            documents: Int(clamping: number(after: "--documents", or: 50_000))
        )
        print(try conductor.run())
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
            "usage: divan-kill-sync run [--kills N] [--documents N] [--seed S]"
        )
    }
} catch {
    FileHandle.standardError.write(Data("kill-sync: \(error)\n".utf8))
    exit(1)
}

import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-live run` compares live queries with a plain program while the database is written to, and
/// counts what they miss and what they report needlessly.
let words = Array(CommandLine.arguments.dropFirst())

do {
    guard words.first == "run" else {
        throw LiveFailure(
            "usage: divan-live run [--queries 1000] [--lists 250] [--commits 100000] "
                + "[--chairs 1500] [--seed S]"
        )
    }
    let seed = OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999))
    print("seed: \(seed)")
    let trial = try LiveTrial(
        queryCount: OwnProcess.number(after: "--queries", or: 1_000),
        listCount: OwnProcess.number(after: "--lists", or: 250),
        chairCount: OwnProcess.number(after: "--chairs", or: 1_500),
        seed: seed
    )
    CurrentProcess.exit(
        try trial.run(commits: OwnProcess.number(after: "--commits", or: 100_000)) ? 0 : 1
    )
} catch {
    FileHandle.standardError.write(Data("live: \(error)\n".utf8))
    CurrentProcess.exit(2)
}

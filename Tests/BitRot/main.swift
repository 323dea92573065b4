import Foundation

/// `divan-bitrot [--flips N] [--documents N] [--seed S] [--syncs N]` flips bits in the files of a
/// database, one at a time, and looks at who notices.
let words = Array(CommandLine.arguments.dropFirst())

func number(after word: String, or standard: UInt64) -> UInt64 {
    words.firstIndex(of: word).flatMap { words.dropFirst($0 + 1).first }.flatMap { UInt64($0) }
        ?? standard
}

do {
    let experiment = try Experiment(
        seed: number(after: "--seed", or: UInt64.random(in: 0...999_999)),
        documentCount: Int(clamping: number(after: "--documents", or: 3_000))
    )
    let result = try await experiment.run(
        flips: Int(clamping: number(after: "--flips", or: 1_000)),
        syncs: Int(clamping: number(after: "--syncs", or: 100))
    )
    print(result)
    exit(result.isSound ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("bitrot: \(error)\n".utf8))
    exit(1)
}

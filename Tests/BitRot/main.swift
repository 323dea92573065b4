import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-bitrot [--flips N] [--documents N] [--seed S] [--syncs N]` flips bits in the files of a
/// database, one at a time, and checks who notices.
do {
    let experiment = try Experiment(
        seed: OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999)),
        documentCount: OwnProcess.number(after: "--documents", or: 3_000)
    )
    let result = try await experiment.run(
        flips: OwnProcess.number(after: "--flips", or: 1_000),
        syncs: OwnProcess.number(after: "--syncs", or: 100)
    )
    print(result)
    CurrentProcess.exit(result.isSound ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("bitrot: \(error)\n".utf8))
    CurrentProcess.exit(1)
}

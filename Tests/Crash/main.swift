import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-crash run [--rounds N] [--seed S]` kills writers and examines what they leave;
/// `divan-crash rekey [--kills N] [--seed S]` does so to processes that change keys;
/// `divan-crash write DIRECTORY SEED FULLSYNC SEALED NEXT…` is such a writer and
/// `divan-crash rekey-on DIRECTORY KEY` changes keys; neither ends by itself.
let words = Array(CommandLine.arguments.dropFirst())

do {
    switch words.first {
    case "run":
        let rounds = OwnProcess.number(after: "--rounds", or: 500)
        let seed = OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999))
        var killer = try Killer(seed: seed)
        try killer.run(rounds: rounds)
        print(killer.summary)
        CurrentProcess.exit(killer.failures.isEmpty ? 0 : 1)
    case "rekey":
        let kills = OwnProcess.number(after: "--kills", or: 300)
        let seed = OwnProcess.number(after: "--seed", or: UInt64.random(in: 0...999_999))
        var killer = try RekeyKiller(seed: seed)
        try killer.run(kills: kills)
        print(killer.summary)
        CurrentProcess.exit(killer.failures.isEmpty ? 0 : 1)
    case "rekey-on" where words.count == 3:
        guard let key = Int(words[2]).flatMap({ KeyCycle(rawValue: $0) }) else {
            throw CrashFailure("rekey-on: \(words[2]) is no key")
        }
        try Rekeyer(directory: words[1]).run(from: key)
    case "write" where words.count == 5 + Lane.count:
        let next = words.dropFirst(5).compactMap { UInt64($0) }
        guard let seed = UInt64(words[2]), next.count == Lane.count else {
            throw CrashFailure("write: numbers expected")
        }
        let kind = DatabaseKind(fullSync: words[3] == "true", isSealed: words[4] == "true")
        try Writer(directory: words[1], seed: seed, kind: kind).run(from: next)
    default:
        throw CrashFailure("usage: divan-crash run [--rounds N] | rekey [--kills N] [--seed S]")
    }
} catch {
    FileHandle.standardError.write(Data("crash: \(error)\n".utf8))
    CurrentProcess.exit(2)
}

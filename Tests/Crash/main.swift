import Foundation

/// `divan-crash run [--rounds N] [--seed S]` kills writers and looks at what they leave;
/// `divan-crash write DIRECTORY SEED FULLSYNC SEALED NEXT…` is such a writer, and never ends by itself.
let words = Array(CommandLine.arguments.dropFirst())

func number(after word: String, or standard: UInt64) -> UInt64 {
    words.firstIndex(of: word).flatMap { words.dropFirst($0 + 1).first }.flatMap { UInt64($0) }
        ?? standard
}

do {
    switch words.first {
    case "run":
        let rounds = number(after: "--rounds", or: 500)
        let seed = number(after: "--seed", or: UInt64.random(in: 0...999_999))
        var killer = try Killer(seed: seed)
        try killer.run(rounds: Int(clamping: rounds))
        print(killer.summary)
        exit(killer.failures.isEmpty ? 0 : 1)
    case "write" where words.count == 5 + Lane.count:
        let next = words.dropFirst(5).compactMap { UInt64($0) }
        guard let seed = UInt64(words[2]), next.count == Lane.count else {
            throw CrashFailure("write: numbers expected")
        }
        let kind = DatabaseKind(fullSync: words[3] == "true", isSealed: words[4] == "true")
        try Writer(directory: words[1], seed: seed, kind: kind).run(from: next)
    default:
        throw CrashFailure("usage: divan-crash run [--rounds N] [--seed S]")
    }
} catch {
    FileHandle.standardError.write(Data("crash: \(error)\n".utf8))
    exit(2)
}

import DivanTestKit
import Foundation
import Glibc

/// `divan-soak run` lets many clients edit, pull and push while their connections are cut.
///
/// `divan-soak serve …` and `divan-soak clients …` are the processes that it starts.
let words = Array(CommandLine.arguments.dropFirst())

func number(after word: String, or standard: Int) -> Int {
    words.firstIndex(of: word).flatMap { words.dropFirst($0 + 1).first }.flatMap { Int($0) }
        ?? standard
}

do {
    // The other end may be gone when something is written to it.
    signal(SIGPIPE, SIG_IGN)
    OwnProcess.raiseDescriptorLimit()
    switch words.first {
    case "run":
        let soak = Soak(
            minuteCount: number(after: "--minutes", or: 20),
            clientCount: number(after: "--clients", or: 200),
            processCount: number(after: "--processes", or: 8),
            seed: number(after: "--seed", or: Int.random(in: 0...999_999))
        )
        exit(try soak.run())
    case "serve" where words.count == 2:
        try Server(directory: words[1]).run()
    case "clients":
        try Clients(Array(words.dropFirst())).run()
    default:
        throw SoakFailure(
            "usage: divan-soak run [--minutes 20] [--clients 200] [--processes 8] [--seed S]"
        )
    }
} catch {
    FileHandle.standardError.write(Data("soak: \(error)\n".utf8))
    exit(2)
}

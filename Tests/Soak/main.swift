import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-soak run` lets many clients edit, pull and push while their connections are cut.
///
/// `divan-soak serve …` and `divan-soak clients …` are the processes that it starts.
let words = Array(CommandLine.arguments.dropFirst())

do {
    // The other end may close during a write.
    Signal.brokenPipe.ignore()
    OwnProcess.raiseDescriptorLimit()
    switch words.first {
    case "run":
        let soak = Soak(
            minuteCount: OwnProcess.number(after: "--minutes", or: 20),
            clientCount: OwnProcess.number(after: "--clients", or: 200),
            processCount: OwnProcess.number(after: "--processes", or: 8),
            seed: OwnProcess.number(after: "--seed", or: Int.random(in: 0...999_999))
        )
        CurrentProcess.exit(try soak.run())
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
    CurrentProcess.exit(2)
}

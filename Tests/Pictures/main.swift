import DivanPlatform
import DivanTestKit
import Foundation

/// `divan-pictures run` pulls documents with pictures eagerly and lazily, counts the bytes, and fetches
/// every picture later while connections are cut.
let words = Array(CommandLine.arguments.dropFirst())

do {
    // The other end may close during a write.
    Signal.brokenPipe.ignore()
    guard words.first == "run" else {
        throw PicturesFailure(
            "usage: divan-pictures run [--documents 10000] [--bytes 1000000] [--cuts 50]"
        )
    }
    let trial = try PicturesTrial(
        documentCount: OwnProcess.number(after: "--documents", or: 10_000),
        byteCount: OwnProcess.number(after: "--bytes", or: 1_000_000),
        cutCount: OwnProcess.number(after: "--cuts", or: 50)
    )
    try await trial.run()
} catch {
    FileHandle.standardError.write(Data("pictures: \(error)\n".utf8))
    CurrentProcess.exit(2)
}

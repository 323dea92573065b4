import Foundation

/// A guest book that syncs: sign, read, share and sync.
func run(_ words: [String]) async throws -> Int32 {
    switch (words.dropFirst().first, words.count) {
    case ("sign", 4):
        try GuestBook(directory: words[0]).sign(words[2], words[3])
    case ("read", 2):
        for line in try GuestBook(directory: words[0]).lines() { print(line) }
    case ("share", 3):
        let book = try GuestBook(directory: words[0])
        for line in try book.share(password: words[2]) { print(line) }
        fflush(nil)
        await waitForEndOfInput()
    case ("sync", 5):
        let book = try GuestBook(directory: words[0])
        try await book.sync(with: words[2], pinning: words[3], password: words[4])
        print("in sync with \(words[2])")
    default:
        print("Usage: guestbook DIRECTORY sign NAME TEXT | read | share PASSWORD")
        print("       guestbook DIRECTORY sync URL CERTIFICATE PASSWORD")
        return 2
    }
    return 0
}

/// Waits for the end of the input on a thread of its own, because a task must not block its thread.
func waitForEndOfInput() async {
    await withCheckedContinuation { ended in
        Thread.detachNewThread {
            while readLine() != nil {}
            ended.resume()
        }
    }
}

do {
    exit(try await run(Array(CommandLine.arguments.dropFirst())))
} catch {
    // An uncaught error would end the program with a crash report.
    print(error)
    exit(1)
}

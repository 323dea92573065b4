import DivanDiscovery
import Foundation

/// Syncs with all peers in the room until its input ends: room-example DIRECTORY NAME TOKEN.
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count == 3 else {
    print("Usage: room-example DIRECTORY NAME TOKEN")
    exit(2)
}

do {
    let room = try Room(directory: words[0], name: words[1], token: words[2]) { text in
        try? FileHandle.standardOutput.write(contentsOf: Data("\(words[1]) \(text)\n".utf8))
    }
    try room.open(through: AvahiDiscovery())
    while readLine() != nil {}
    try room.close()
} catch {
    print("\(error)")
    exit(1)
}

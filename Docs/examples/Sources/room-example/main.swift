import ExampleTerminal
import Foundation

/// Syncs with all peers in the room until its input ends: room-example DIRECTORY NAME PASSWORD.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 3 else {
    print("Usage: room-example DIRECTORY NAME PASSWORD")
    exit(2)
}

do {
    let name = words[1]
    let room = try await Room(
        directory: URL(filePath: words[0]),
        name: name,
        password: words[2],
        report: { Terminal.show("\(name) \($0)") }
    )
    let running = Task {
        do {
            try await room.run()
        } catch {
            if !Task.isCancelled { Terminal.show("\(name) finds no peers: \(error)") }
        }
    }
    for await _ in Terminal.lines {}
    running.cancel()
    await running.value
    try await room.close()
} catch {
    print(error)
    exit(1)
}

import Foundation

/// A worker's process as its killer sees it.
final class WorkerProcess {
    let side: Side
    private let process = Process()
    private let output = Pipe()
    private var text = ""

    init(_ side: Side, _ arguments: [String]) throws {
        self.side = side
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits until the process has said a line that begins so; false when it ended before.
    func wait(for start: String) -> Bool {
        while !lines.contains(where: { $0.hasPrefix(start) }) {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { return false }
            text += String(decoding: piece, as: UTF8.self)
        }
        return true
    }

    /// Ends the process as a power cut does, and returns all that it said.
    func kill() throws -> [Substring] {
        Foundation.kill(process.processIdentifier, SIGKILL)
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        text += String(decoding: rest, as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal else {
            throw KillSyncFailure(
                "the \(side.rawValue) ended by itself with \(process.terminationStatus): \(text)"
            )
        }
        return lines
    }

    /// Waits for the end, and returns all that the process said.
    func finish() throws -> [Substring] {
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        text += String(decoding: rest, as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw KillSyncFailure("the last \(side.rawValue) failed: \(text.suffix(500))")
        }
        return lines
    }

    private var lines: [Substring] { text.split(separator: "\n") }
}

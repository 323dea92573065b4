import Foundation

/// The standard input and output of an example.
public enum Terminal {
    /// The lines of the standard input, read on a thread of its own, because reading waits.
    public static let lines = AsyncStream<String> { lines in
        Thread.detachNewThread {
            while let line = readLine() { lines.yield(line) }
            lines.finish()
        }
    }

    /// Writes a line at once, also into a pipe; `fflush(nil)` would wait for the thread that reads.
    public static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}

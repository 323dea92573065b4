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

    /// Prints a line at once, also into a pipe.
    public static func show(_ line: String) {
        // Not `fflush(nil)`, which also waits for the thread that reads.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}

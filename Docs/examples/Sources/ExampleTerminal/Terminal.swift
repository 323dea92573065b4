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
        print(line)
        fflush(nil)
    }
}

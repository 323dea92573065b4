import Foundation

/// The other side of `RunningProgram`: the communication of a started program in lines.
public enum StandardLines {
    /// Writes a line to standard output at once, even if that is a pipe.
    public static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Answers each line of standard input until it ends; an error becomes `failed: …`.
    public static func answer(_ answer: (String) throws -> String) {
        while let question = readLine() {
            do {
                say(try answer(question))
            } catch {
                say("failed: \(error)")
            }
        }
    }
}

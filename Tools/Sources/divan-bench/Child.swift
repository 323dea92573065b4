import Foundation

/// This program, started once more in a role: the other process of a figure.
///
/// It speaks in lines over its standard streams and ends when its input does.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// Starts `divan-bench role WORDS`.
    init(_ words: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["role"] + words
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Waits for the next line that the process writes.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw BenchFailure("the other process ended early") }
            unread += bytes
        }
    }

    /// Writes a line and waits for the answer, a number.
    func ask(_ question: String) throws -> Double {
        let answer = try answer(to: question)
        guard let number = Double(answer) else { throw BenchFailure("no number: \(answer)") }
        return number
    }

    /// Writes a line and waits for the answer.
    func answer(to question: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
        return try line()
    }
}

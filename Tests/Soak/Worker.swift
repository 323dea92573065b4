import Foundation

/// Another process of the run; it speaks in lines and ends when its input does.
final class Worker {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    init(_ words: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = words
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw SoakFailure("a process ended early") }
            unread += bytes
        }
    }

    func ask(_ question: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
        return try line()
    }

    func number(_ question: String) throws -> Int {
        let answer = try ask(question)
        guard let number = Int(answer) else { throw SoakFailure("no number: \(answer)") }
        return number
    }

    /// Answers each line of standard input until it ends.
    static func answer(_ answer: (String) throws -> String) {
        while let question = readLine() {
            do {
                say(try answer(question))
            } catch {
                say("failed: \(error)")
            }
        }
    }
}

/// Writes a line at once.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Memory of this process that lies in RAM, in bytes.
func residentByteCount() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let words = text.split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

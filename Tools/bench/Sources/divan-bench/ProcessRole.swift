import DivanTestKit

/// The roles of the bench as the other process of a figure.
enum ProcessRole: String, CaseIterable {
    /// Serves echoes, sinks and BLIP, in clear text and over TLS.
    case server
    /// Opens connections and keeps them.
    case holder
    /// Listens with two databases.
    case listener
    /// Pulls and stores nothing, many times over.
    case pullers
    /// Pushes without storing, many times over.
    case pushers
    /// Acts as a link with a rate and a latency between two peers.
    case link
    /// Sends hostile traffic.
    case hostile
    /// Opens a database.
    case opener
    /// Stores databases, listens and replicates.
    case peer
    /// Runs programs, and reports their peak memory.
    case peak
    /// Does work whose system calls or instructions are counted.
    case cost

    /// Starts this program again, in the role; it ends when its input does.
    func start(_ words: [String] = []) throws -> RunningProgram {
        try Program.current.start(["role", rawValue] + words, input: .lines)
    }

    /// Answers each line of standard input until it ends.
    static func answer(_ answer: (String) -> Double) {
        while let question = readLine() { say("\(answer(question))") }
    }
}

extension RunningProgram {
    /// Writes a line and waits for the answer, a number.
    func number(_ question: String) throws -> Double {
        let answer = try ask(question)
        guard let number = Double(answer) else { throw BenchFailure("not a number: \(answer)") }
        return number
    }
}

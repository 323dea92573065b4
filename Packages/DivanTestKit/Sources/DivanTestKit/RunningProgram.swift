public import DivanPlatform
import Foundation

/// A program that runs in parallel to this one and communicates in lines: a listener, a worker, a daemon.
///
/// Created by `Program.start`; use it from one thread at a time. Reads wait as long as necessary, unless the
/// program was started with a patience. When the last reference is released, the program is ended: if it reads
/// lines, its input is closed and its end is awaited; otherwise it is killed.
public final class RunningProgram {
    /// A program's standard input.
    public enum Input: Sendable {
        /// Empty input.
        case none
        /// The lines of `type(_:)`, until `endInput()`.
        case lines
    }

    /// The destination of a program's standard error.
    public enum Errors: Sendable {
        /// To this program's standard error.
        case inherited
        /// Nowhere.
        case discarded
        /// Among the lines of its standard output.
        case amongLines
        /// To the end of a file, which must exist.
        case file(String)
    }

    /// The program ended before its expected output.
    public struct EndedEarly: Error, CustomStringConvertible {
        /// The program's file.
        public let path: String
        /// How it ended, and all its output.
        public let outcome: Program.Outcome

        /// One line of place and problem, then the program's output.
        public var description: String { "\(path) exited early: \(outcome)" }
    }

    /// The program wrote no output for longer than allowed.
    public struct Silent: Error, CustomStringConvertible {
        /// The program's file.
        public let path: String
        /// The duration of the wait.
        public let patience: Duration
        /// All its output.
        public let said: String

        /// One line of place and problem, then the program's output.
        public var description: String { "no output from \(path) for \(patience)\n\(said)" }
    }

    private let process: Process
    private let patience: Duration?
    private let input: FileHandle?
    private let reading: FileHandle
    private var said = Data()
    private var readCount = 0  // bytes of `said` that `line()` has returned

    init(
        _ process: Process,
        _ input: Input,
        _ errors: Errors,
        patience: Duration?
    ) throws {
        self.process = process
        self.patience = patience
        let output = Pipe()
        reading = output.fileHandleForReading
        process.standardOutput = output
        switch input {
        case .none:
            process.standardInput = FileHandle.nullDevice
            self.input = nil
        case .lines:
            let pipe = Pipe()
            process.standardInput = pipe
            self.input = pipe.fileHandleForWriting
        }
        switch errors {
        case .inherited: break
        case .discarded: process.standardError = FileHandle.nullDevice
        case .amongLines: process.standardError = output
        case .file(let path):
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seekToEnd()
            process.standardError = file
        }
        try process.run()
    }

    deinit {
        guard process.isRunning else { return }
        if input != nil {
            endInput()
            finish()
        } else {
            // A child inherits the blocked signals of the thread that starts it; SIGKILL cannot be blocked.
            Signal.kill.send(to: process.processIdentifier)
            process.waitUntilExit()
        }
    }

    /// The system's process identifier of the program.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// Whether the program has not ended yet.
    public var isRunning: Bool { process.isRunning }

    // MARK: What it says

    /// Waits for the next line of its output.
    ///
    /// - Throws: `EndedEarly` or `Silent`.
    public func line() throws -> String {
        while true {
            if let end = said[readCount...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { readCount = end + 1 }
                return String(decoding: said[readCount..<end], as: UTF8.self)
            }
            guard try readMore() else { throw EndedEarly(path: path, outcome: finish()) }
        }
    }

    /// Waits for a line that satisfies a condition; lines before it are skipped.
    ///
    /// - Throws: `EndedEarly` or `Silent`, and the condition's errors.
    public func line(where isWanted: (String) throws -> Bool) throws -> String {
        while true {
            let line = try line()
            if try isWanted(line) { return line }
        }
    }

    /// Waits for a line that is a JSON object and satisfies a condition; others are skipped.
    ///
    /// - Throws: `EndedEarly` or `Silent`, and the condition's errors.
    public func event(where isWanted: ([String: Any]) throws -> Bool) throws -> [String: Any] {
        while true {
            // Outside of `try?`, which would also ignore the program's end.
            let line = try line()
            let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            if let event = value as? [String: Any], try isWanted(event) { return event }
        }
    }

    /// Waits until a text occurs anywhere in its output, even within a line.
    ///
    /// - Throws: `EndedEarly` or `Silent`.
    public func wait(for text: String) throws {
        while said.firstRange(of: Data(text.utf8)) == nil {
            guard try readMore() else { throw EndedEarly(path: path, outcome: finish()) }
        }
    }

    /// Waits for more of its output; false if there will be none.
    private func readMore() throws(Silent) -> Bool {
        if let patience, !hasMore(within: patience) {
            let text = String(decoding: said, as: UTF8.self)
            throw Silent(path: path, patience: patience, said: text)
        }
        let bytes = reading.nextPiece()
        said += bytes
        return !bytes.isEmpty
    }

    /// Waits until there is output, or its end; false if neither comes in time.
    private func hasMore(within patience: Duration) -> Bool {
        let (seconds, attoseconds) = patience.components
        let milliseconds = Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        let output = FileDescriptor(reading.fileDescriptor)
        while true {
            do {
                return try !output.wait(for: .reading, milliseconds: milliseconds).isEmpty
            } catch {
                if error.errno != .interrupted { return false }
            }
        }
    }

    private var path: String { process.executableURL?.path ?? "a program" }

    // MARK: What it hears

    /// Writes a line to its input.
    public func type(_ line: String) throws {
        try input?.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Writes a line and waits for the answer, which is also a line.
    ///
    /// - Throws: `EndedEarly` or `Silent`.
    public func ask(_ question: String) throws -> String {
        try type(question)
        return try line()
    }

    /// Ends its input.
    public func endInput() {
        try? input?.close()
    }

    // MARK: Its end

    /// Sends a signal, such as `.interrupt` for Ctrl-C.
    public func signal(_ signal: Signal) {
        signal.send(to: process.processIdentifier)
    }

    /// Ends the program as a power failure would.
    @discardableResult
    public func kill() -> Program.Outcome {
        signal(.kill)
        return finish()
    }

    /// Waits for the end; the outcome contains all of the program's output.
    ///
    /// A program without output for longer than allowed is killed.
    @discardableResult
    public func finish() -> Program.Outcome {
        while true {
            do throws(Silent) {
                guard try readMore() else { break }
            } catch {
                signal(.kill)
            }
        }
        process.waitUntilExit()
        return Program.Outcome(of: process, output: said, errors: Data())
    }
}

extension FileHandle {
    /// Waits for something to read; empty at the end, or if nothing more can be read.
    func nextPiece() -> Data {
        Data((try? FileDescriptor(fileDescriptor).read(upTo: 1 << 16)) ?? [])
    }
}

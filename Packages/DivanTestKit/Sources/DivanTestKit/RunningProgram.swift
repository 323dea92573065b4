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

    private let path: String
    private let process: ChildProcess
    /// How the program ended, once its end was noticed.
    private var ended: ChildProcess.Status?
    /// Whether the program was started to read lines, and so ends by the end of its input.
    private let readsLines: Bool
    private let patience: Duration?
    private var input: FileDescriptor?
    private let output: FileDescriptor
    private var said = Data()
    private var readCount = 0  // bytes of `said` that `line()` has returned

    init(
        _ program: Program,
        _ words: [String],
        _ input: Input,
        _ errors: Errors,
        patience: Duration?
    ) throws {
        path = program.path
        self.patience = patience
        if case .lines = input { readsLines = true } else { readsLines = false }
        // Ends that only the program needs; a failure closes the others, too.
        var theirs: [FileDescriptor] = []
        var ours: [FileDescriptor] = []
        defer { for descriptor in theirs { descriptor.close() } }
        do {
            let said = try FileDescriptor.pipe()
            theirs.append(said.writing)
            ours.append(said.reading)
            output = said.reading
            let heard: FileDescriptor
            switch input {
            case .none:
                heard = try FileDescriptor.open("/dev/null", [.readOnly, .closeOnExec])
            case .lines:
                let pipe = try FileDescriptor.pipe()
                ours.append(pipe.writing)
                self.input = pipe.writing
                heard = pipe.reading
            }
            theirs.append(heard)
            var descriptors = [
                (heard, as: FileDescriptor.standardInput), (said.writing, as: .standardOutput),
            ]
            switch errors {
            case .inherited: break
            case .amongLines: descriptors.append((said.writing, as: .standardError))
            case .discarded, .file:
                var file = "/dev/null"
                if case .file(let path) = errors { file = path }
                let opened = try FileDescriptor.open(file, [.writeOnly, .append, .closeOnExec])
                theirs.append(opened)
                descriptors.append((opened, as: .standardError))
            }
            process = try program.spawn(words, descriptors)
        } catch {
            for descriptor in ours { descriptor.close() }
            throw error
        }
    }

    deinit {
        if isRunning {
            if readsLines {
                endInput()
                finish()
            } else {
                signal(.kill)
                end()
            }
        }
        endInput()
        output.close()
    }

    /// The system's process identifier of the program.
    public var processIdentifier: Int32 { process.id }

    /// Whether the program has not ended yet.
    public var isRunning: Bool {
        guard ended == nil else { return false }
        let (isRunning, status) = process.poll()
        ended = status
        return isRunning
    }

    /// Waits for the end.
    @discardableResult
    private func end() -> ChildProcess.Status {
        if let ended { return ended }
        // Only this object waits for the program, so it still is a child.
        let status = process.wait() ?? .unknown
        ended = status
        return status
    }

    // MARK: What it says

    /// All its output that was read so far.
    public var text: String { String(decoding: said, as: UTF8.self) }

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
            throw Silent(path: path, patience: patience, said: text)
        }
        let bytes = (try? output.read(upTo: 1 << 16)) ?? []
        said += bytes
        return !bytes.isEmpty
    }

    /// Waits until there is output, or its end; false if neither comes in time.
    private func hasMore(within patience: Duration) -> Bool {
        let (seconds, attoseconds) = patience.components
        let milliseconds = Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        while true {
            do {
                return try !output.wait(for: .reading, milliseconds: milliseconds).isEmpty
            } catch {
                if error.errno != .interrupted { return false }
            }
        }
    }

    // MARK: What it hears

    /// Writes a line to its input.
    public func type(_ line: String) throws {
        try input?.writeAll(Array("\(line)\n".utf8))
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
        input?.close()
        input = nil
    }

    // MARK: Its end

    /// Sends a signal, such as `.interrupt` for Ctrl-C.
    public func signal(_ signal: Signal) {
        // The number of a program that was waited for may be another program's.
        guard ended == nil else { return }
        signal.send(to: process.id)
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
        return Program.Outcome(of: end(), output: said, errors: Data())
    }
}

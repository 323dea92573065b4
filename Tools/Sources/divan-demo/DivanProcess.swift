import Foundation

/// Runs the `divan` command that was built beside the demo.
struct DivanProcess {
    /// The directory that the command works in.
    let directory: String
    private let executable: URL

    init(directory: String) throws {
        self.directory = directory
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        executable = own.deletingLastPathComponent().appendingPathComponent("divan")
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw DemoFailure("\(executable.path) is missing; run make demo, which builds it")
        }
    }

    /// Runs a command to its end and returns what it printed; its notes go to the terminal.
    @discardableResult
    func run(_ words: [String], shows: Bool = true) throws -> String {
        if shows { say("    $ divan " + words.joined(separator: " ")) }
        let process = make(words)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoFailure("divan \(words.first ?? "") ended with \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Starts a command that goes on until it is interrupted; it prints a line of JSON an event.
    func start(_ words: [String]) throws -> RunningProcess {
        say("    $ divan " + words.filter { $0 != "--json" }.joined(separator: " "))
        return try RunningProcess(make(words))
    }

    private func make(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        return process
    }
}

/// A command that goes on; its events are read one by one.
final class RunningProcess {
    private let process: Process
    private let output = Pipe()
    private var pending = Data()

    fileprivate init(_ process: Process) throws {
        self.process = process
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the next event that satisfies a condition.
    func event(_ isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
        while true {
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[..<end]
                pending = Data(pending[(end + 1)...])
                let value = try? JSONSerialization.jsonObject(with: Data(line))
                if let event = value as? [String: Any], isWanted(event) { return event }
            }
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else {
                process.waitUntilExit()
                throw DemoFailure("divan ended early with \(process.terminationStatus)")
            }
            pending += bytes
        }
    }

    /// Presses Ctrl-C and waits for the clean end.
    func stop() {
        process.interrupt()
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        process.waitUntilExit()
        output.fileHandleForReading.readabilityHandler = nil
    }
}

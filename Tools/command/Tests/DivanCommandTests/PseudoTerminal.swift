import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A process on its own terminal, as for a person.
final class PseudoTerminal {
    /// All output, as received.
    private(set) var output = ""
    /// What a person sees of it.
    private(set) var screen = Screen(columnCount: 80)
    private let descriptor: FileDescriptor
    private let process: ChildProcess
    /// The bytes of a character whose rest has not arrived.
    private var unread: [UInt8] = []
    private var isOver = false
    private var begin = ContinuousClock.now

    /// Starts `divan` in the shell's folder, with 24 lines.
    convenience init(
        _ shell: Shell,
        _ words: [String],
        environment: [String: String] = [:],
        columnCount: Int = 80
    ) throws {
        try self.init(
            shell,
            running: [Shell.divan.path] + words,
            environment: environment,
            columnCount: columnCount
        )
    }

    /// Starts a program in the shell's folder, with 24 lines.
    init(
        _ shell: Shell,
        running program: [String],
        environment: [String: String] = [:],
        columnCount: Int = 80
    ) throws {
        screen = Screen(columnCount: columnCount)
        let (own, other, path) = try FileDescriptor.pseudoTerminal(columns: columnCount, rows: 24)
        descriptor = own
        // Only the command may hold the other end: when it closes that, the output ends.
        defer { other.close() }
        let variables = ["TERM": "xterm", "XDG_DATA_HOME": shell.path("data")]
            .merging(environment) { $1 }
        // A shell that becomes the command: it changes the folder, which a spawn cannot.
        let script = "cd '\(shell.directory)' && exec \"$0\" \"$@\""
        process = try ChildProcess.spawn(
            "/bin/sh",
            ["/bin/sh", "-c", script] + program,
            environment: variables,
            terminal: path,
            beginsSession: true,
            signals: .defaults
        )
    }

    deinit {
        if !isOver {
            signal(.kill)
            _ = end()
        }
        descriptor.close()
    }

    /// Whether the terminal echoes what is typed.
    var isEchoing: Bool {
        TerminalSettings(of: descriptor)?.echoes == true
    }

    /// Types keys; Ctrl-C is `\u{3}`.
    func type(_ text: String) {
        #expect(throws: Never.self) { try descriptor.writeAll(Array(text.utf8)) }
    }

    func signal(_ signal: Signal) {
        signal.send(to: process.id)
    }

    /// Reads until the screen satisfies a condition.
    func waits(
        _ location: SourceLocation = #_sourceLocation,
        for isWanted: (Screen) -> Bool
    ) throws {
        begin = .now
        while !isWanted(screen) {
            try #require(read(), "it came to:\n\(screen.text)", sourceLocation: location)
        }
    }

    /// Reads until the screen shows a text.
    func waits(for text: String, _ location: SourceLocation = #_sourceLocation) throws {
        try waits(location) { $0.text.contains(text) }
    }

    /// Reads until the command has ended; its exit code, or 128 and the signal that ended it.
    @discardableResult
    func end() -> Int32 {
        begin = .now
        while read() {}
        if isLate { signal(.kill) }
        let status = process.wait()
        isOver = true
        guard let status else { return -1 }
        return status.signal == 0 ? status.exitStatus : 128 + status.signal
    }

    /// Nothing here takes half a minute; a wait for something that never comes must show the screen.
    private var isLate: Bool { ContinuousClock.now - begin > .seconds(29) }

    /// How many bytes at the end begin an incomplete character.
    private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
        for count in 1...3 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > count ? count : 0
        }
        return 0
    }

    private func read() -> Bool {
        let events = try? descriptor.wait(for: .reading, milliseconds: 30_000)
        guard events?.isEmpty == false, !isLate else { return false }
        // It fails if the last process on the terminal has closed it.
        guard let piece = try? descriptor.read(upTo: 65_536), !piece.isEmpty else { return false }
        unread += piece
        let whole = unread.count - Self.unfinishedCount(unread)
        let text = String(decoding: unread[..<whole], as: UTF8.self)
        unread.removeFirst(whole)
        output += text
        screen.write(text)
        return true
    }
}

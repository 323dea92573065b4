import DivanTestKit
import Foundation
import Testing

/// A process on its own terminal, as for a person.
final class PseudoTerminal {
    /// All output, as received.
    private(set) var output = ""
    /// What a person sees of it.
    private(set) var screen = Screen(columnCount: 80)
    private let descriptor: Int32
    private let identifier: pid_t
    /// The bytes of a character whose rest has not arrived.
    private var unread: [UInt8] = []
    private var isOver = false
    private var begin = ContinuousClock.now

    struct Failure: Error {
        let code: Int32
    }

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
        var (own, other): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        let columns = UInt16(clamping: columnCount)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&own, &other, &name, nil, &size) == 0 else { throw Failure(code: errno) }
        descriptor = own
        // Only the command may hold the other end: when it closes that, the output ends.
        defer { close(other) }
        for end in [own, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let variables = ["TERM": "xterm", "XDG_DATA_HOME": shell.path("data")]
            .merging(environment) { $1 }
        // A shell that becomes the command: it changes the folder, which a spawn cannot.
        let script = "cd '\(shell.directory)' && exec \"$0\" \"$@\""
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        identifier = try spawn(
            ["/bin/sh", "-c", script] + program,
            environment: variables,
            beginsSession: true
        ) { actions in
            posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
    }

    deinit {
        if !isOver {
            kill(identifier, SIGKILL)
            _ = end()
        }
        close(descriptor)
    }

    /// Whether the terminal echoes what is typed.
    var isEchoing: Bool {
        var state = termios()
        return tcgetattr(descriptor, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types keys; Ctrl-C is `\u{3}`.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    func signal(_ number: Int32) {
        kill(identifier, number)
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
        if isLate { kill(identifier, SIGKILL) }
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        isOver = true
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
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
        var piece = [UInt8](repeating: 0, count: 65_536)
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 30_000) == 1, !isLate else { return false }
        // EIO: the last process on the terminal has closed it.
        let count = Glibc.read(descriptor, &piece, piece.count)
        guard count > 0 else { return false }
        unread += piece[..<count]
        let whole = unread.count - Self.unfinishedCount(unread)
        let text = String(decoding: unread[..<whole], as: UTF8.self)
        unread.removeFirst(whole)
        output += text
        screen.write(text)
        return true
    }
}

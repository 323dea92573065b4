import Foundation
import Testing

/// A `divan` process on a terminal of its own, as a person has it.
final class PseudoTerminal {
    /// All that came, as it came.
    private(set) var output = ""
    /// What a person sees of it.
    private(set) var screen = Screen(columnCount: 80)
    private let descriptor: Int32
    private var identifier = pid_t()
    private var isOver = false
    private var begin = ContinuousClock.now

    struct Failure: Error {
        let code: Int32
    }

    /// Starts the command in the shell's folder, with 24 lines of 80 columns.
    init(_ shell: Shell, _ words: [String], environment: [String: String] = [:]) throws {
        var (own, other): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&own, &other, &name, nil, &size) == 0 else { throw Failure(code: errno) }
        descriptor = own
        // Only the command may hold the other end: when it closes that, the output is over.
        defer { close(other) }
        for end in [own, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let variables = ["TERM": "xterm", "XDG_DATA_HOME": shell.path("data")]
            .merging(environment) { $1 }
        // A shell that becomes the command: it changes the folder, which a spawn cannot.
        let script = "cd '\(shell.directory)' && exec \"$0\" \"$@\""
        try spawn(
            ["/bin/sh", "-c", script, Shell.divan.path] + words,
            variables,
            terminal: String(decoding: name.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        )
    }

    deinit {
        if !isOver {
            kill(identifier, SIGKILL)
            _ = end()
        }
        close(descriptor)
    }

    /// Whether the terminal shows what is typed.
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

    /// Nothing here takes half a minute; whoever waits for what never comes shall see the screen.
    private var isLate: Bool { ContinuousClock.now - begin > .seconds(29) }

    private func read() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 30_000) == 1, !isLate else { return false }
        // EIO: the last process on the terminal has closed it.
        let count = Glibc.read(descriptor, &piece, piece.count)
        guard count > 0 else { return false }
        let text = String(decoding: piece[..<count], as: UTF8.self)
        output += text
        screen.write(text)
        return true
    }

    private func spawn(
        _ words: [String],
        _ environment: [String: String],
        terminal: String
    ) throws {
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_init(&attributes)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        // In a session of its own, POSIX_SPAWN_SETSID, the first terminal that is opened becomes
        // the one that Ctrl-C is typed at; spawn.h hides the constant from Swift.
        let setsID: Int32 = 0x80
        let flags = setsID | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        // The copies live until the call is over, which reads them.
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        let code = posix_spawn(
            &identifier,
            words[0],
            &actions,
            &attributes,
            &arguments,
            &variables
        )
        for text in arguments + variables { free(text) }
        guard code == 0 else { throw Failure(code: code) }
    }
}

internal import CDivanPlatform
internal import Glibc

/// A program that this process has started, and must wait for.
public struct ChildProcess: Sendable {
    /// Its number.
    public let id: Int32

    /// Which signals begin with their default effect, and which are blocked.
    public enum Signals: Sendable {
        /// Those that this process ignores and blocks stay so, except that these have their default effect.
        case inherited(except: [Signal])
        /// All have their default effect, and none is blocked.
        case defaults
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - arguments: Its arguments, with its name first.
    ///   - environment: Its variables; `nil` for those of this process.
    ///   - directory: Its working directory; `nil` for that of this process.
    ///   - descriptors: Which of this process's descriptors it has under which numbers.
    ///   - terminal: A terminal that it opens under the first three numbers.
    ///   - beginsSession: Whether it begins a session of its own.
    ///   - signals: Its signals.
    /// - Returns: The process.
    /// - Throws: `SystemError` if it cannot be started.
    public static func spawn(
        _ path: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        descriptors: [(FileDescriptor, as: FileDescriptor)] = [],
        terminal: String? = nil,
        beginsSession: Bool = false,
        signals: Signals = .inherited(except: [])
    ) throws(SystemError) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let directory {
            let number = divan_spawn_in_directory(&actions, directory)
            guard number == 0 else { throw SystemError("posix_spawn", Errno(number)) }
        }
        if let terminal {
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            for stream: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, 0, stream) }
        }
        for (own, theirs) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, own.rawValue, theirs.rawValue)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which spawn.h hides from Swift.
        let session: Int32 = beginsSession ? 0x80 : 0
        posix_spawnattr_setflags(&attributes, Int16(session | set(signals, in: &attributes)))
        // The copies are valid until the end of the call, which reads them.
        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup("\($0)=\($1)") } + [nil] }
        defer { for text in words + (variables ?? []) { free(text) } }
        var id = pid_t()
        let number = posix_spawn(&id, path, &actions, &attributes, words, variables ?? environ())
        guard number == 0 else { throw SystemError("posix_spawn", Errno(number)) }
        return ChildProcess(id: id)
    }

    /// This process's variables.
    private static func environ() -> [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var next = Glibc.environ
        while let entry = next.pointee {
            entries.append(entry)
            next += 1
        }
        return entries + [nil]
    }

    /// Sets signals; returns the flags for that.
    private static func set(_ signals: Signals, in attributes: inout posix_spawnattr_t) -> Int32 {
        var (none, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        switch signals {
        case .inherited(let exceptions):
            sigemptyset(&defaults)
            for signal in exceptions { sigaddset(&defaults, signal.rawValue) }
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            return Int32(POSIX_SPAWN_SETSIGDEF)
        case .defaults:
            sigfillset(&defaults)
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            posix_spawnattr_setsigmask(&attributes, &none)
            return Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        }
    }

    /// How it ended.
    public struct Status: Equatable, Sendable {
        let rawValue: Int32

        /// For a child whose end another part of the process has taken: exit status 255.
        public static let unknown = Status(rawValue: 0xFF00)

        /// Whether it ended by itself with status 0.
        public var isSuccess: Bool { rawValue == 0 }
        /// Its exit status; 0 if a signal ended it.
        public var exitStatus: Int32 { rawValue >> 8 & 0xFF }
        /// The signal that ended it; 0 if none did.
        public var signal: Int32 { rawValue & 0x7F }

        /// What happened, for an error message: `exited with status 3` or `was killed by signal 9`.
        public var explanation: String {
            signal == 0 ? "exited with status \(exitStatus)" : "was killed by signal \(signal)"
        }
    }

    /// Waits for the end; `nil` if there is no such child.
    @discardableResult
    public func wait() -> Status? {
        var status: Int32 = 0
        return uninterrupted { waitpid(id, &status, 0) } < 0 ? nil : Status(rawValue: status)
    }

    /// The same, with the most memory that it had at a time, in bytes.
    public func waitMeasuring() -> (status: Status, peakByteCount: Int)? {
        var (status, usage) = (Int32(0), rusage())
        guard uninterrupted({ wait4(id, &status, 0, &usage) }) == id else { return nil }
        return (Status(rawValue: status), Int(usage.ru_maxrss) * 1024)
    }

    /// Whether it is still running; otherwise how it ended, `nil` if there is no such child.
    public func poll() -> (isRunning: Bool, status: Status?) {
        var status: Int32 = 0
        switch waitpid(id, &status, WNOHANG) {
        case 0: return (true, nil)
        case ..<0: return (false, nil)
        default: return (false, Status(rawValue: status))
        }
    }
}

/// Runs a command line by the shell, and waits for its end.
///
/// Ctrl-C reaches only the command meanwhile (`system`).
public func runShell(_ line: String) -> ChildProcess.Status {
    ChildProcess.Status(rawValue: system(line))
}

/// A command that the shell runs, and that reads what this process writes.
///
/// Used by one thread.
public struct ShellPipe: ~Copyable {
    private var stream: UnsafeMutablePointer<FILE>?

    /// Starts it; `nil` if the system has no process left.
    public init?(_ line: String) {
        stream = popen(line, "w")
        if stream == nil { return nil }
    }

    deinit {
        if let stream { pclose(stream) }
    }

    /// What it reads; none after the end.
    public var descriptor: FileDescriptor {
        stream.map { FileDescriptor(fileno($0)) } ?? .none
    }

    /// Ends its input, and waits for its end.
    public mutating func finish() -> ChildProcess.Status {
        guard let stream else { return ChildProcess.Status(rawValue: 0) }
        self.stream = nil
        return ChildProcess.Status(rawValue: pclose(stream))
    }
}

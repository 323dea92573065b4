internal import Glibc

/// A signal of the system.
public struct Signal: RawRepresentable, Hashable, Sendable {
    /// The system's number.
    public let rawValue: Int32

    /// Wraps a number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Wraps a number.
    public init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// `SIGHUP`: the terminal was closed.
    public static let hangup = Signal(SIGHUP)
    /// `SIGINT`: Ctrl-C.
    public static let interrupt = Signal(SIGINT)
    /// `SIGQUIT`: Ctrl-\.
    public static let quit = Signal(SIGQUIT)
    /// `SIGSEGV`: an invalid access to memory.
    public static let invalidMemory = Signal(SIGSEGV)
    /// `SIGKILL`.
    public static let kill = Signal(SIGKILL)
    /// `SIGTERM`.
    public static let terminate = Signal(SIGTERM)
    /// `SIGSTOP`.
    public static let stop = Signal(SIGSTOP)
    /// `SIGCONT`.
    public static let resume = Signal(SIGCONT)
    /// `SIGPIPE`: nobody reads a pipe or socket any more.
    public static let brokenPipe = Signal(SIGPIPE)
    /// `SIGXFSZ`: a file would exceed the limit.
    public static let fileTooLarge = Signal(SIGXFSZ)

    /// A function that handles a signal; it may call very little (`signal-safety(7)`).
    public typealias Handler = @convention(c) (Int32) -> Void

    /// What happens when the signal arrives.
    public struct Action {
        fileprivate var raw = sigaction()

        fileprivate init() {}

        /// Whether it is the system's own.
        public var isDefault: Bool { raw.__sigaction_handler.sa_handler == nil }

        /// Whether it applies once, and then the default.
        public var isOnce: Bool { raw.sa_flags & Int32(bitPattern: SA_RESETHAND) != 0 }

        /// The same with another handler, which is called once.
        public func handledOnce(by handler: @escaping Handler) -> Action {
            var action = self
            action.raw.__sigaction_handler.sa_handler = handler
            action.raw.sa_flags = Int32(bitPattern: SA_RESETHAND)
            return action
        }
    }

    /// What happens when it arrives; `nil` if the system does not tell.
    public var action: Action? {
        var action = Action()
        return sigaction(rawValue, nil, &action.raw) == 0 ? action : nil
    }

    /// Changes what happens when it arrives.
    public func setAction(_ action: Action) {
        var action = action
        sigaction(rawValue, &action.raw, nil)
    }

    /// Ignores it.
    public func ignore() {
        signal(rawValue, SIG_IGN)
    }

    /// Gives it its default effect.
    public func restoreDefault() {
        signal(rawValue, SIG_DFL)
    }

    /// Calls a function when it arrives.
    public func handle(by handler: @escaping Handler) {
        signal(rawValue, handler)
    }

    /// Lets the calling thread receive signals that were blocked.
    public static func unblock(_ signals: [Signal]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.rawValue) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Sends it to all processes of a process's group if that leads one, and otherwise to that process.
    public func sendToGroup(of process: Int32) {
        send(to: getpgid(process) == process ? -process : process)
    }

    /// Sends it to a process; false if there is none, or that is forbidden.
    @discardableResult
    public func send(to process: Int32) -> Bool {
        Glibc.kill(process, rawValue) == 0
    }
}

/// Writes bytes to standard error; a signal handler may call it.
public func writeInSignalHandler(_ bytes: UnsafeRawBufferPointer) {
    _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
}

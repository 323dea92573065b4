internal import Glibc

/// How a terminal treats what is typed.
public struct TerminalSettings: Sendable {
    private var raw = termios()

    /// Nothing yet.
    public init() {}

    /// Reads the settings; `nil` if the file is not a terminal.
    public init?(of descriptor: FileDescriptor) {
        guard tcgetattr(descriptor.rawValue, &raw) == 0 else { return nil }
    }

    /// The settings for a line that is not shown while it is typed, except its end.
    public var hidden: TerminalSettings {
        var settings = self
        settings.raw.c_lflag &= ~tcflag_t(ECHO)
        // The end of the line is echoed, so that what follows begins on a new line.
        settings.raw.c_lflag |= tcflag_t(ECHONL)
        return settings
    }

    /// The settings for single keys, which are not shown and have no effect of their own.
    public var unbuffered: TerminalSettings {
        var settings = self
        settings.raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        return settings
    }

    /// Whether what is typed is shown.
    public var echoes: Bool { raw.c_lflag & tcflag_t(ECHO) != 0 }

    /// Applies them.
    ///
    /// `discardingInput` also discards what was typed before. A signal handler may call it.
    public func apply(to descriptor: FileDescriptor, discardingInput: Bool) {
        var raw = raw
        tcsetattr(descriptor.rawValue, discardingInput ? TCSAFLUSH : TCSANOW, &raw)
    }
}

extension FileDescriptor {
    /// Creates a terminal of this size, which a program can be started on by its path.
    ///
    /// What is typed on it is written to `own`, which also reads what the program writes; `other` is the program's end.
    /// Child processes inherit neither.
    public static func pseudoTerminal(
        columns: Int,
        rows: Int
    ) throws(SystemError) -> (own: FileDescriptor, other: FileDescriptor, path: String) {
        var (own, other): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        var size = winsize(
            ws_row: UInt16(clamping: rows),
            ws_col: UInt16(clamping: columns),
            ws_xpixel: 0,
            ws_ypixel: 0
        )
        guard openpty(&own, &other, &name, nil, &size) == 0 else { throw SystemError("openpty") }
        let ends = (FileDescriptor(own), FileDescriptor(other))
        ends.0.closeOnExec()
        ends.1.closeOnExec()
        return (ends.0, ends.1, text(in: name))
    }

    /// The size of a terminal in characters; zeros if it is none, or does not tell.
    public var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

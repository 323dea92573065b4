import Glibc

/// Where a command writes: results to standard output, everything else to standard error.
struct Terminal: Sendable {
    /// Whether standard error is a terminal, so that a line may be overwritten.
    let isInteractive: Bool
    /// Whether results are JSON for machines.
    var isJSON = false

    init() {
        isInteractive =
            isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Columns of the terminal, 80 when unknown.
    var width: Int {
        let columns = size.ws_col
        return columns > 1 ? Int(columns) : 80
    }

    /// Lines of the terminal, 24 when unknown.
    var height: Int {
        let rows = size.ws_row
        return rows > 2 ? Int(rows) : 24
    }

    private var size: winsize {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return winsize() }
        return size
    }

    /// Writes a line of results.
    func result(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes result bytes as they are.
    func result(bytes: [UInt8]) {
        Terminal.writeAll(bytes, to: STDOUT_FILENO)
    }

    /// Writes the many lines that `body` hands over, a block at a time.
    func results(_ body: ((String) -> Void) throws -> Void) rethrows {
        var block: [UInt8] = []
        defer { result(bytes: block) }
        try body { line in
            block += line.utf8
            block.append(UInt8(ascii: "\n"))
            if block.count > 1 << 16 {
                result(bytes: block)
                block.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Writes a line for the person who waits; machines get none.
    func note(_ line: String) {
        if !isJSON { write(line + "\n", to: STDERR_FILENO) }
    }

    /// Writes a line that must be seen.
    func warn(_ line: String) {
        write("divan: warning: \(line)\n", to: STDERR_FILENO)
    }

    /// Overwrites the current line of the terminal.
    func overwrite(_ line: String) {
        write("\r\u{1B}[2K\(line)", to: STDERR_FILENO)
    }

    /// Writes text to a file descriptor.
    func write(_ text: String, to descriptor: Int32) {
        Terminal.writeAll(Array(text.utf8), to: descriptor)
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // A reader that went away (`divan ls | head`) ends the output, not the program.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

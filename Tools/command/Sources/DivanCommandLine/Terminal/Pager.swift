import DivanPlatform

/// The program that shows many lines page by page on a terminal.
///
/// `DIVAN_PAGER` or else `PAGER` names it, as a shell command; without either it is `less`, if that
/// is installed. An empty name and `cat` turn paging off. Used by one thread.
package final class Pager {
    /// The user has closed the pager.
    package struct Closed: Error {}

    /// The exit status of a shell for a program that it cannot start.
    private static let unknownProgram: Int32 = 127

    /// The command that starts it; `nil` if there is none.
    package static var command: String? {
        for name in ["DIVAN_PAGER", "PAGER"] {
            guard let value = CurrentProcess.variable(name) else { continue }
            return value.isEmpty || value == "cat" ? nil : value
        }
        let folders = CurrentProcess.variable("PATH") ?? "/usr/bin:/bin"
        let isThere = folders.split(separator: ":").contains {
            FileSystem.isAccessible("\($0)/less", .execute)
        }
        return isThere ? "less" : nil
    }

    private let command: String
    private var pipe: ShellPipe?
    private let interrupting: Signal.Action?
    private var block: [UInt8] = []

    /// Starts it.
    ///
    /// - Throws: `Failure` if the system has no process left.
    package init(_ command: String) throws(Failure) {
        self.command = command
        interrupting = Signal.interrupt.action
        // It finds its signals as it would under a shell.
        Signal.brokenPipe.restoreDefault()
        Signal.interrupt.restoreDefault()
        // less passes styles through, and ends at once if everything fits on one screen.
        pipe = ShellPipe("LESS=${LESS-FRX}; export LESS; \(command)")
        Signal.brokenPipe.ignore()
        if let interrupting { Signal.interrupt.setAction(interrupting) }
        guard pipe != nil else {
            throw Failure(kind: .failed, sentence: "cannot start the pager '\(command)'")
        }
        // Ctrl-C belongs to the pager, unless this program handles it.
        if let interrupting, interrupting.isDefault || StopSignals.isOurs(interrupting) {
            Signal.interrupt.ignore()
        }
    }

    deinit {
        try? finish()
    }

    /// Passes a line on, sooner or later.
    package func write(_ line: String) throws(Closed) {
        block += line.utf8
        block.append(UInt8(ascii: "\n"))
        if block.count > 1 << 12 { try flush() }
    }

    /// Passes the rest on, and waits until the user closes the pager.
    ///
    /// - Throws: `Failure` if there is no such program.
    package func finish() throws(Failure) {
        guard pipe != nil else { return }
        try? flush()
        let status = pipe?.finish()
        pipe = nil
        if let interrupting { Signal.interrupt.setAction(interrupting) }
        guard status?.exitStatus == Self.unknownProgram else { return }
        throw Failure(
            kind: .failed,
            sentence: "cannot start the pager '\(command)'",
            hint: "set PAGER to another program, or use '--no-pager'"
        )
    }

    private func flush() throws(Closed) {
        guard let descriptor = pipe?.descriptor else { throw Closed() }
        defer { block.removeAll(keepingCapacity: true) }
        do {
            try descriptor.writeWaiting(block)
        } catch {
            throw Closed()
        }
    }
}

extension Terminal {
    /// Writes the many lines that `body` passes: through the pager if they are more than the
    /// terminal shows at once, otherwise as `results` does.
    ///
    /// Leaving the pager early ends `body` with an error, which is not rethrown.
    ///
    /// - Throws: What `body` throws, and `Failure` if the pager cannot be started.
    package func pagedResults(_ body: ((String) throws -> Void) throws -> Void) throws {
        guard let width = resultWidth, Streams.current.interruption == nil,
            let command = Pager.command
        else { return try results(body) }
        var pager: Pager?
        var waiting: [String] = []
        var rest = height - 1
        func finish() throws {
            for line in waiting { result(line) }
            waiting = []
            try pager?.finish()
        }
        do {
            try body { line in
                if let pager { return try pager.write(line) }
                waiting.append(line)
                rest -= max(1, (line.count + width - 1) / width)
                guard rest < 0 else { return }
                let begun = try Pager(command)
                pager = begun
                for line in waiting { try begun.write(line) }
                waiting = []
            }
        } catch is Pager.Closed {
        } catch {
            try finish()
            throw error
        }
        try finish()
    }
}

import Synchronization

/// Shows the progress of a long command: a bar on a terminal, a plain line now and then in a pipe.
///
/// May be called from any thread.
package final class ProgressLine: Sendable {
    /// The progress of the command.
    package struct Reading: Sendable, Equatable {
        /// Documents done.
        package var documents: UInt64
        /// Documents known so far; 0 while unknown.
        package var total: UInt64
        /// Bytes read and written.
        package var bytes: UInt64
        /// Bytes to read in total, if the number of documents is unknown; 0 while that is unknown, too.
        package var totalBytes: UInt64

        /// Describes the progress of a command.
        package init(
            documents: UInt64 = 0,
            total: UInt64 = 0,
            bytes: UInt64 = 0,
            totalBytes: UInt64 = 0
        ) {
            self.documents = documents
            self.total = total
            self.bytes = bytes
            self.totalBytes = totalBytes
        }

        /// The part that is done, 0 to 1; `nil` while the total is unknown.
        fileprivate var share: Double? {
            if total > 0 { return min(1, Double(documents) / Double(total)) }
            return totalBytes > 0 ? min(1, Double(bytes) / Double(totalBytes)) : nil
        }
    }

    private struct State {
        var lastShown: Duration?
        var isOpen = false
    }

    private let terminal: Terminal
    private let verb: String
    private let isHidden: Bool
    private let start: ContinuousClock.Instant
    private let state = Mutex(State())

    /// Starts the clock; `verb` is what happens to the documents, such as `pulled`.
    ///
    /// With `besideResults`, nothing is shown while results are written to a terminal: the lines would mix.
    package init(_ terminal: Terminal, verb: String, besideResults: Bool = false) {
        self.terminal = terminal
        self.verb = verb
        isHidden = terminal.isJSON || besideResults && terminal.resultWidth != nil
        start = ContinuousClock.now
    }

    /// Time since the line was created.
    package var elapsed: Duration { ContinuousClock.now - start }

    /// Shows the reading, at most ten times a second on a terminal and every two seconds elsewhere.
    package func show(_ reading: Reading) {
        if isHidden { return }
        let now = elapsed
        state.withLock { state in
            let pause: Duration = terminal.isInteractive ? .milliseconds(100) : .seconds(2)
            if let last = state.lastShown, now - last < pause { return }
            if state.lastShown == nil, !terminal.isInteractive {
                state.lastShown = now
                return
            }
            state.lastShown = now
            let text = line(reading, after: now)
            if terminal.isInteractive {
                // A line that wraps could not be overwritten.
                terminal.overwrite(String(text.prefix(terminal.width - 1)))
                state.isOpen = true
            } else {
                terminal.note(text)
            }
        }
    }

    /// Clears the bar, so that other lines can be written.
    package func finish() {
        state.withLock { state in
            if state.isOpen { terminal.overwrite("") }
            state.isOpen = false
        }
    }

    private func line(_ reading: Reading, after elapsed: Duration) -> String {
        let seconds = max(elapsed.inSeconds, 0.001)
        let rate = Double(reading.documents) / seconds
        var parts = ["\(Numbers.grouped(reading.documents)) \(verb)"]
        if reading.total > reading.documents {
            parts[0] =
                "\(Numbers.grouped(reading.documents)) of "
                + "\(Numbers.grouped(reading.total)) \(verb)"
        }
        if reading.bytes > 0 { parts.append(Numbers.bytes(reading.bytes)) }
        parts.append("\(Numbers.grouped(UInt64(rate)))/s")
        if reading.totalBytes > 0, let share = reading.share {
            parts.insert("\(Int(share * 100)) %", at: 1)
        }
        if let share = reading.share, share > 0, share < 1 {
            parts.append("\(Numbers.seconds(seconds / share - seconds)) left")
        }
        let text = parts.joined(separator: ", ")
        guard terminal.isInteractive, let share = reading.share else { return text }
        let room = terminal.width - text.count - 4
        return room < 8 ? text : bar(share, width: min(24, room)) + " " + text
    }

    private func bar(_ share: Double, width: Int) -> String {
        let filled = Int(share * Double(width))
        return "[" + String(repeating: "=", count: filled)
            + String(repeating: " ", count: width - filled) + "]"
    }
}

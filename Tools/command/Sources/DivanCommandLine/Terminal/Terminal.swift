package import DivanPlatform

/// Where a command writes: results to standard output, everything else to standard error.
package struct Terminal: Sendable {
    /// Whether standard error is a terminal, so that a line can be overwritten.
    package let isInteractive: Bool
    /// Whether results are JSON for machines.
    package var isJSON = false
    private let streams: Streams
    private let output: ResultStream

    package init() {
        streams = .current
        output = ResultStream(streams.output)
        isInteractive =
            streams.errors.isTerminal && CurrentProcess.variable("TERM") != "dumb"
    }

    /// Columns of the terminal, 80 if unknown.
    package var width: Int {
        let columns = streams.errors.terminalSize.columns
        return columns > 1 ? Int(columns) : 80
    }

    /// Columns that a line of results must fit; `nil` if results do not go to a terminal.
    package var resultWidth: Int? { streams.output.isTerminal ? width : nil }

    /// Whether results may be styled: on a terminal that supports it, unless `NO_COLOR`
    /// is set to anything (no-color.org).
    package var stylesResults: Bool {
        func variable(_ name: String) -> String { CurrentProcess.variable(name) ?? "" }
        return streams.output.isTerminal && variable("NO_COLOR").isEmpty
            && variable("TERM") != "dumb"
    }

    /// Lines of the terminal, 24 if unknown.
    package var height: Int {
        let rows = streams.errors.terminalSize.rows
        return rows > 2 ? rows : 24
    }

    /// Writes a line of results; on a terminal, no text in it can move the cursor or reverse letters.
    ///
    /// Plain text is already escaped; this escapes text in JSON.
    package func result(_ line: String) {
        output.write(Array("\(shown(line))\n".utf8))
    }

    /// Writes result bytes as they are.
    package func result(bytes: [UInt8]) {
        output.write(bytes)
    }

    /// Writes complete lines of JSON, as `result(_:)` does.
    package func result(json lines: [UInt8]) {
        guard resultWidth != nil else { return output.write(lines) }
        output.write(Array(shown(String(decoding: lines, as: UTF8.self)).utf8))
    }

    private func shown(_ line: String) -> String {
        resultWidth == nil ? line : line.escapingTerminalCharactersOfJSON()
    }

    /// The errno of a result that could not be written.
    package var lostResult: Errno? { output.problem }

    /// Ends a command whose results are no longer read.
    package func requireOutput() throws(ResultStream.Ended) {
        try output.requireOpen()
    }

    /// Writes the many lines that `body` passes, a block at a time.
    ///
    /// - Throws: What `body` throws, and `ResultStream.Ended` if a block cannot be written.
    package func results(_ body: ((String) throws -> Void) throws -> Void) throws {
        var block: [UInt8] = []
        defer { result(bytes: block) }
        try body { line in
            block += shown(line).utf8
            block.append(UInt8(ascii: "\n"))
            if block.count > 1 << 16 {
                result(bytes: block)
                block.removeAll(keepingCapacity: true)
                try requireOutput()
            }
        }
    }

    /// Writes a line for people; omitted with `--json`.
    package func note(_ line: String) {
        if !isJSON { write(line + "\n", to: .standardError) }
    }

    /// Writes a hint, also with `--json`.
    package func hint(_ line: String) {
        write("hint: \(line)\n", to: .standardError)
    }

    /// Writes a line that must be seen.
    package func warn(_ line: String) {
        write("divan: warning: \(line)\n", to: .standardError)
    }

    /// Overwrites the current line of the terminal.
    package func overwrite(_ line: String) {
        write("\r\u{1B}[2K\(line)", to: .standardError)
    }

    /// Writes text to standard error, or to another file descriptor.
    package func write(_ text: String, to descriptor: FileDescriptor) {
        let descriptor = descriptor == .standardError ? streams.errors : descriptor
        // If standard error is lost too, the message cannot be reported.
        try? descriptor.writeWaiting(Array(text.utf8))
    }
}

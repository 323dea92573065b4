import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanPlatform
import DivanQuery

/// What a person types into the shell, line by line.
///
/// Theory. Lines are collected, and split where semicolons outside of quotes end a query; each is
/// run in turn. A line that begins with a dot, where no query has begun, is a command of the
/// shell. Failures are reported, with their place if lines come from a file or a pipe, and the shell
/// continues with the next one. Stopping a query stops those after it in the same line or file.
struct QueryShell {
    /// Where lines come from.
    private struct Origin {
        /// The prefix of messages; `nil` for a terminal, where the line can be seen.
        let name: String?
        /// Number of the latest line.
        var line = 0
    }

    /// How deeply files may read files.
    private static let readDepth = 8

    let running = RunningQuery()
    private var session: QuerySession
    private let terminal: Terminal
    private var format = RowFormat.table
    private var hasTimer = false
    private var hasPager = true
    private var typed = QueryInput()
    /// The latest last.
    private var origins: [Origin]
    private var hasFailed = false

    /// Begins with lines of a terminal, or of a pipe.
    init(_ session: QuerySession, _ terminal: Terminal, isTyped: Bool) {
        self.session = session
        self.terminal = terminal
        origins = [Origin(name: isTyped ? nil : "")]
    }

    /// The prompt of the next line; inside a query it shows the open quote.
    var prompt: String {
        guard !typed.isEmpty else { return "\(session.name)> " }
        let margin = String(repeating: " ", count: max(0, session.name.count - 3))
        return "\(margin)\(typed.openQuote ?? ".")..> "
    }

    /// Handles a line; `false` if it ends the shell.
    mutating func take(_ line: String) throws -> Bool {
        try terminal.requireOutput()
        let isOutermost = origins.count == 1
        if isOutermost { running.allow() }
        defer { if isOutermost { running.end() } }
        origins[origins.count - 1].line += 1
        let number = origins[origins.count - 1].line
        if typed.isEmpty, let order = Self.order(line) {
            let name = order.prefix { $0 != " " }
            if DotCommand.named(name)?.name == ".quit" { return false }
            attempt(from: number) { shell in try shell.obey(order) }
            return true
        }
        attempt(from: number) { shell in
            for question in try shell.typed.take(line, number: number) {
                if shell.running.isStopped { break }
                shell.ask(question)
            }
        }
        return true
    }

    /// Handles Ctrl-C instead of a line: the part of a query typed so far is discarded.
    mutating func interrupt() {
        if typed.isEmpty { terminal.note("Type .quit or press Ctrl-D to exit.") }
        typed.drop()
    }

    /// Handles the end of input that is not a terminal: the last query needs no semicolon, and a failure
    /// is the program's.
    mutating func finish() throws(Failure) {
        askLast()
        guard hasFailed else { return }
        throw Failure(
            kind: .invalid,
            sentence: "a line failed",
            hint: "the errors are listed above"
        )
    }

    /// Handles the end of terminal input: an unfinished query is not run.
    func leave() {
        let lost = "\nThe last query has no semicolon, and was not run."
        terminal.note(typed.isEmpty ? "" : lost)
    }

    private mutating func askLast() {
        if let question = typed.end() { ask(question) }
    }

    private mutating func ask(_ question: QueryInput.Question) {
        attempt(from: question.line, behind: question.column) { shell in
            let clock = ContinuousClock.now
            let query = try shell.session.query(question.text, in: shell.running)
            shell.session.warnAboutMissingParameters(query, shell.terminal) {
                "set it with '.param \($0) VALUE'"
            }
            let count = try shell.session.print(
                query,
                shell.format,
                shell.terminal,
                isPaged: shell.hasPager
            )
            if shell.hasTimer { shell.terminal.note(QueryCommand.timing(count, since: clock)) }
        }
    }

    // MARK: Failures

    private mutating func attempt(
        from line: Int,
        behind byteCount: Int = 0,
        _ body: (inout QueryShell) throws -> Void
    ) {
        do {
            try body(&self)
        } catch {
            hasFailed = true
            let failure = failure(for: error, from: line, behind: byteCount)
            let sentence = failure.sentence.escapingControlCharacters()
            terminal.write("\(sentence)\n\(failure.hintLine)", to: .standardError)
        }
    }

    /// What went wrong; if lines are not typed, with the line number in the file.
    ///
    /// In its first line a query follows `byteCount` bytes.
    private func failure(
        for error: any Error,
        from first: Int,
        behind byteCount: Int
    ) -> Failure {
        let name = origins.last?.name
        let place = name.map { $0.isEmpty ? "" : "\($0), " } ?? ""
        if let error = error as? QueryError, let line = error.line, let column = error.column {
            let number = name == nil ? line : first + line - 1
            let byte = line == 1 ? column + byteCount : column
            let sentence = "\(place)line \(number), column \(byte): \(error.problem)"
            return Failure(kind: .invalid, text: sentence)
        }
        let failure = Failure(explaining: error)
        return name == nil ? failure : failure.at("\(place)line \(first)")
    }

    // MARK: Orders

    /// The command in a line, without blanks and a semicolon at its ends; `nil` for a query.
    private static func order(_ line: String) -> String? {
        var text = line.trimmingSpaces
        if let plain = DotCommand.plain(text) { return plain }
        guard text.hasPrefix(".") || text.hasPrefix("\\") || DotCommand.familiar(text) != nil else {
            return nil
        }
        while text.hasSuffix(";") { text = String(text.dropLast()).trimmingSpaces }
        return text
    }

    private mutating func obey(_ text: String) throws {
        let name = text.prefix { !$0.isWhitespace }
        let operand = String(text[name.endIndex...]).trimmingSpaces
        guard let order = DotCommand.named(name) else { throw Self.unknown(name) }
        switch order.operand {
        case .none where !operand.isEmpty && order.name != ".help":
            throw Failure.usage("'\(order.name)' does not take an argument")
        case .word(let words) where !operand.isEmpty && !words.contains(operand.lowercased()):
            let list = words.joined(separator: ", ")
            throw Failure.usage(
                "invalid value '\(operand)' for '\(order.name)'",
                hint: "use one of \(list)"
            )
        default: break
        }
        switch order.name {
        case ".help": terminal.result(Self.help)
        case ".mode":
            if let found = RowFormat(name: operand) { format = found }
            if operand.isEmpty { terminal.result(format.rawValue) }
        case ".pager": hasPager = isOn(operand, now: hasPager)
        case ".timer": hasTimer = isOn(operand, now: hasTimer)
        case ".param": try setParameter(operand)
        case ".explain": try explain(operand)
        case ".read": try read(operand)
        case ".collections": try listCollections()
        case ".indexes": try listIndexes()
        default: break
        }
    }

    private static var help: String {
        let rows = DotCommand.all.map { order -> (left: String, right: String) in
            switch order.operand {
            case .none: (left: order.name, right: order.help)
            case .text(let text): (left: "\(order.name) \(text)", right: order.help)
            case .word(let words):
                (
                    left: "\(order.name) WORD",
                    right: "\(order.help): \(words.joined(separator: ", "))"
                )
            }
        }
        return Columns.aligned(rows, indent: "") + """

            A query ends with a semicolon. Ctrl-C clears the input, or stops a running query. A line
            that begins with -- is a comment. Docs/query/language.md describes the language.
            """
    }

    private static func unknown(_ name: some StringProtocol) -> Failure {
        let near =
            DotCommand.familiar(name)
            ?? Spelling.nearest(to: String(name), among: DotCommand.all.map(\.name))
        return .usage(
            "unknown command '\(name)'",
            hint: near.map { "did you mean '\($0)'?" } ?? "'.help' lists the commands"
        )
    }

    /// The value of an operand; without one, reports the current value.
    private func isOn(_ operand: String, now: Bool) -> Bool {
        if operand.isEmpty { terminal.result(now ? "on" : "off") }
        return operand.isEmpty ? now : operand.lowercased() == "on"
    }

    private mutating func setParameter(_ operand: String) throws {
        guard !operand.isEmpty else { return listParameters() }
        let name = String(operand.drop { $0 == "$" }.prefix { !$0.isWhitespace && $0 != "=" })
        let value = operand.drop { $0 == "$" }.dropFirst(name.count)
            .drop { $0.isWhitespace || $0 == "=" }
        guard !name.isEmpty, !value.isEmpty else {
            throw Failure.usage(
                "'.param' requires a name and a value",
                hint: "write '.param NAME VALUE'"
            )
        }
        session.parameters[ExactText(name)] = try QuerySession.value(String(value), of: name)
    }

    private func listParameters() {
        guard !session.parameters.isEmpty else { return terminal.note("No parameters") }
        let rows = session.parameters.keys.sorted().map { name in
            let value = session.parameters[name]?.writableJSON
            return (left: "$\(name)", right: value?.canonicalText ?? "MISSING")
        }
        terminal.result(Columns.aligned(rows, indent: ""))
    }

    private func explain(_ question: String) throws {
        guard !question.isEmpty else { throw Failure.usage("'.explain' requires a query") }
        try session.explain(session.query(question, in: running), terminal)
    }

    private mutating func read(_ operand: String) throws {
        guard !operand.isEmpty else { throw Failure.usage("'.read' requires a file") }
        guard origins.count <= Self.readDepth else {
            throw Failure.usage("'.read' is nested deeper than \(Self.readDepth) files")
        }
        let path = Self.path(operand)
        let bytes = try InputFile(path).rest(limit: ExchangeLimits.documentByteCount)
        origins.append(Origin(name: path))
        defer { origins.removeLast() }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines where !running.isStopped {
            let text = String(decoding: line, as: UTF8.self).withoutByteOrderMark
            guard try take(text) else { break }
        }
        if running.isStopped { typed.drop() } else { askLast() }
    }

    /// The file that an operand names, which may be quoted or begin with `~/`.
    private static func path(_ operand: String) -> String {
        var path = operand
        for quote in ["'", "\""] where path.hasPrefix(quote) && path.hasSuffix(quote) {
            if path.count > 2 { path = String(path.dropFirst().dropLast()) }
        }
        guard path.hasPrefix("~/"), let home = try? Environment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    private func listCollections() throws {
        terminal.result(Columns.aligned(try session.collectionRows(), indent: ""))
    }

    private func listIndexes() throws {
        let rows = try session.indexRows()
        guard !rows.isEmpty else { return terminal.note("No indexes") }
        terminal.result(Columns.aligned(rows, indent: ""))
    }
}

extension String {
    /// The text without leading and trailing white space.
    var trimmingSpaces: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// The text without the byte order mark that some editors put at a file's beginning.
    fileprivate var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}

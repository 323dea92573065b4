import DivanCommandLine
import DivanJSON
import DivanQuery
import DivanStore

/// What a person types into the shell, line by line.
///
/// Theory. Lines are gathered until one ends with a semicolon; what they say together is asked. A
/// line that begins with a dot, where no question has begun, is an order to the shell. What fails
/// is told, and the shell goes on.
struct QueryShell {
    /// An order to the shell.
    struct Order {
        let name: String
        let operand: String
        let help: String
    }

    static let commands = [
        Order(name: ".collections", operand: "", help: "list the collections"),
        Order(name: ".explain", operand: "SELECT …", help: "tell how a question is answered"),
        Order(name: ".help", operand: "", help: "list these lines"),
        Order(name: ".indexes", operand: "", help: "list the indexes of all collections"),
        Order(
            name: ".mode",
            operand: "FORMAT",
            help: RowFormat.allCases.map(\.rawValue).joined(separator: ", ")
        ),
        Order(name: ".pager", operand: "on|off", help: "leaf through many rows"),
        Order(name: ".param", operand: "NAME VALUE", help: "give $NAME a value, JSON or else text"),
        Order(name: ".quit", operand: "", help: "end, as Ctrl-D does"),
        Order(name: ".read", operand: "FILE", help: "take the lines of a file"),
        Order(name: ".timer", operand: "on|off", help: "tell the time that each question took"),
    ]

    /// How deep files may read files.
    private static let readDepth = 8

    let running = RunningQuery()
    private var session: QuerySession
    private let terminal: Terminal
    private var format = RowFormat.table
    private var hasTimer = false
    private var hasPager = true
    private var pending = ""
    private var depth = 0
    private var hasFailed = false

    init(_ session: QuerySession, _ terminal: Terminal) {
        self.session = session
        self.terminal = terminal
    }

    /// What stands before the line that is typed next.
    var prompt: String {
        pending.isEmpty
            ? "\(session.name)> "
            : String(repeating: " ", count: max(0, session.name.count - 3)) + "...> "
    }

    /// Takes a line; `false` when it ends the shell.
    mutating func take(_ line: String) throws -> Bool {
        try terminal.requireOutput()
        let text = line.trimmingSpaces
        if pending.isEmpty, text.hasPrefix(".") {
            if [".quit", ".exit"].contains(text) { return false }
            attempt { shell in try shell.obey(text) }
            return true
        }
        guard !(pending.isEmpty && text.isEmpty) else { return true }
        pending += pending.isEmpty ? line : "\n" + line
        guard text.hasSuffix(";") else { return true }
        ask()
        return true
    }

    /// Takes the end of what is no terminal: the last question needs no semicolon, and a failure is
    /// the program's.
    mutating func finish() throws(Failure) {
        if !pending.isEmpty { ask() }
        if hasFailed { throw Failure(kind: .invalid, sentence: "a line failed; see above") }
    }

    private mutating func ask() {
        let text = pending
        pending = ""
        attempt { shell in
            let clock = ContinuousClock.now
            let query = try shell.bound(text)
            let count = try shell.session.print(
                query,
                shell.format,
                shell.terminal,
                isPaged: shell.hasPager
            )
            guard shell.hasTimer else { return }
            let time = QueryCommand.elapsed(clock)
            shell.terminal.note("\(Numbers.count(count, "row")) in \(time)")
        }
    }

    /// A question with those of the parameters that it has.
    private func bound(_ text: String) throws -> StorageQuery {
        let query = try session.query(text, watch: running.begin())
        let names = query.statement.parameters
        return StorageQuery(
            query.statement,
            parameters: query.parameters.filter { names.contains($0.key) },
            watch: query.watch
        )
    }

    private mutating func attempt(_ body: (inout QueryShell) throws -> Void) {
        do {
            try body(&self)
        } catch {
            hasFailed = true
            let failure = (error as? Failure) ?? Failure(explaining: error)
            terminal.write(failure.sentence.escapingControlCharacters() + "\n", to: 2)
        }
    }

    private mutating func obey(_ text: String) throws {
        let end = text.firstIndex(of: " ") ?? text.endIndex
        let operand = String(text[end...]).trimmingSpaces
        switch text[..<end] {
        case ".help":
            let rows = Self.commands.map { (left: "\($0.name) \($0.operand)", right: $0.help) }
            terminal.result(Columns.aligned(rows, indent: ""))
        case ".mode":
            guard let format = RowFormat(rawValue: operand) else {
                throw Failure.usage(".mode takes \(Self.commands[4].help), not \"\(operand)\"")
            }
            self.format = format
        case ".pager": hasPager = try Self.isOn(operand, of: ".pager")
        case ".timer": hasTimer = try Self.isOn(operand, of: ".timer")
        case ".param": try setParameter(operand)
        case ".explain": try session.explain(bound(operand), terminal)
        case ".read": try read(operand)
        case ".collections": try listCollections()
        case ".indexes": try listIndexes()
        default:
            let names = Self.commands.map(\.name)
            let near = Spelling.nearest(to: String(text[..<end]), among: names)
            let hint = near.map { "; did you mean \($0)?" } ?? "; .help lists them"
            throw Failure.usage("there is no \(text[..<end])" + hint)
        }
    }

    private static func isOn(_ operand: String, of order: String) throws(Failure) -> Bool {
        guard ["on", "off"].contains(operand) else {
            throw .usage("\(order) takes on or off, not \"\(operand)\"")
        }
        return operand == "on"
    }

    private mutating func setParameter(_ operand: String) throws(Failure) {
        guard let end = operand.firstIndex(of: " ") else {
            throw .usage(".param takes NAME VALUE")
        }
        let value = String(operand[end...]).trimmingSpaces
        session.parameters[ExactText(String(operand[..<end]))] = QuerySession.value(value)
    }

    private mutating func read(_ path: String) throws {
        guard depth < Self.readDepth else {
            throw Failure.usage("files that read files are nested deeper than \(Self.readDepth)")
        }
        depth += 1
        defer { depth -= 1 }
        let bytes = try InputFile(path).rest(limit: DocumentReader.longestDocument)
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false)
        where try !take(String(line)) {
            return
        }
        if !pending.isEmpty { ask() }
    }

    private func listCollections() throws {
        let rows = try session.store.read { reader in
            try reader.collections().map { path in
                (left: path.wireName, right: Numbers.grouped(try reader.count(in: path)))
            }
        }
        terminal.result(Columns.aligned(rows, indent: ""))
    }

    private func listIndexes() throws {
        try session.store.read { reader in
            for path in try reader.collections() {
                for index in try reader.indexes(in: path) {
                    terminal.result(
                        "\(path.wireName)  \(index.name.text)  \(index.kind.rawValue): "
                            + index.source
                    )
                }
            }
        }
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingSpaces: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}

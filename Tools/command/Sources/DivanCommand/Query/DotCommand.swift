/// A command of the shell: a line that begins with a dot.
struct DotCommand {
    /// What follows its name.
    enum Operand: Equatable {
        case none
        case text(String)
        /// One of a few words, or nothing to show the current value.
        case word(of: [String])
    }

    let name: String
    let operand: Operand
    let help: String

    static let all = [
        DotCommand(name: ".collections", operand: .none, help: "list the collections"),
        DotCommand(
            name: ".explain",
            operand: .text("SELECT …"),
            help: "show the plan of a query"
        ),
        DotCommand(name: ".help", operand: .none, help: "list these commands"),
        DotCommand(
            name: ".indexes",
            operand: .none,
            help: "list the indexes of all collections"
        ),
        DotCommand(
            name: ".mode",
            operand: .word(of: RowFormat.allCases.map(\.rawValue)),
            help: "show or set the output format"
        ),
        DotCommand(
            name: ".pager",
            operand: .word(of: ["on", "off"]),
            help: "show long results in a pager"
        ),
        DotCommand(
            name: ".param",
            operand: .text("[NAME VALUE]"),
            help: "set $NAME to JSON or text, unset it (null), or list all parameters"
        ),
        DotCommand(name: ".quit", operand: .none, help: "exit (also: exit, Ctrl-D)"),
        DotCommand(name: ".read", operand: .text("FILE"), help: "run the lines of a file"),
        DotCommand(
            name: ".timer",
            operand: .word(of: ["on", "off"]),
            help: "show the time of each query"
        ),
    ]

    /// The command with a name, or `nil`.
    static func named(_ name: some StringProtocol) -> DotCommand? {
        let name = name == ".exit" || name == ".q" ? ".quit" : name.lowercased()
        return all.first { $0.name == name }
    }

    /// Lines that the tab key completes.
    static let lines = all.flatMap { order -> [String] in
        guard case .word(let words) = order.operand else { return [order.name] }
        return words.map { "\(order.name) \($0)" }
    }.sorted()

    /// The command that a line without a dot means in other shells; `nil` if none.
    static func plain(_ line: String) -> String? {
        var line = line.lowercased()
        while line.last == ";" || line.last == " " { line.removeLast() }
        return switch line {
        case "exit", "quit", "bye", "\\q", "exit()", "quit()", ":q": ".quit"
        case "help", "?", "\\?", "\\h", "help()": ".help"
        default: nil
        }
    }

    /// The command that other shells have under another name.
    static func familiar(_ name: some StringProtocol) -> String? {
        switch name.lowercased() {
        case ".tables", ".schema", ".databases", "\\d", "\\dt", "\\l", "\\dn": ".collections"
        case ".indices", ".index", "\\di": ".indexes"
        case ".format", ".headers", ".separator", ".output", ".width", "\\x", "\\a", "\\pset":
            ".mode"
        case ".timing", "\\timing": ".timer"
        case ".import", ".source", ".run", "\\i", "\\.", "source": ".read"
        case ".set", ".parameter", "\\set": ".param"
        case ".eqp", ".expert", ".plan": ".explain"
        case ".clear", ".close": ".quit"
        default: nil
        }
    }
}

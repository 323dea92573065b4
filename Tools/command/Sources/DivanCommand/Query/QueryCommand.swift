import DivanCommandLine
import DivanJSON
import DivanQuery

/// `divan query`.
enum QueryCommand: Command {
    static let syntax = CommandSyntax(
        name: "query",
        summary: "ask a database in SQL++",
        operands: [.database, .init(name: "SELECT")],
        options: [
            .value(
                "--param",
                "NAME=VALUE",
                short: "-p",
                isRepeating: true,
                "the value of $NAME: JSON, or else text"
            ),
            .value(
                "--format",
                "FORMAT",
                short: "-f",
                completion: .word(of: RowFormat.allCases.map(\.rawValue)),
                "table, json, jsonl, csv or markdown (default: table)"
            ),
            .flag("--explain", "tell how the query would be run, and do not run it"),
            .flag("--timer", "tell the number of rows and the time on standard error"),
            .flag("--no-pager", "print all rows at once, also on a terminal"),
            .flag(
                "--watch",
                "print the rows again whenever a commit has changed them, until Ctrl-C"
            ),
            .json,
        ],
        details:
            "Without a value a parameter is MISSING. In json and jsonl MISSING columns are left "
            + "out; elsewhere they are empty, and null is written null, in csv it is empty, too. "
            + "In table, csv and markdown a whole document, as from SELECT *, has a column for each property. "
            + "--json is --format jsonl, unless --format json is said; with it --explain prints an object, and --timer writes one "
            + "to standard error. What a terminal "
            + "cannot show at once goes through the program that PAGER names (DIVAN_PAGER before "
            + "it), or else through less.",
        examples: [
            "divan query travel 'SELECT name FROM travel.hotels WHERE stars > 3'",
            "divan query travel 'SELECT COUNT(*) FROM _ WHERE land = $l' -p l=FR",
            "divan query travel 'SELECT * FROM _' --format csv",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try run(arguments.operands[1], arguments, terminal)
    }

    /// Asks a question with the options of a command line.
    static func run(_ question: String, _ arguments: Arguments, _ terminal: Terminal) throws {
        let format = try format(arguments, terminal)
        if arguments.has("--explain"), arguments.has("--watch") {
            throw Failure.usage("--explain runs no query, so there is nothing to --watch")
        }
        var session = try QuerySession(arguments.database)
        defer { session.close() }
        session.parameters = try parameters(arguments)
        let query = try session.query(question)
        try session.checkParameters(query, terminal)
        if arguments.has("--explain") { return try session.explain(query, terminal) }
        let isWatching = arguments.has("--watch")
        let poll = isWatching ? try QueryPoll(session, question) : nil
        let clock = ContinuousClock.now
        let isPaged = !isWatching && !arguments.has("--no-pager")
        let count = try session.print(query, format, terminal, isPaged: isPaged)
        if arguments.has("--timer") { tellTime(count, since: clock, terminal) }
        try poll?.run(format, terminal)
    }

    private static func tellTime(
        _ count: Int,
        since clock: ContinuousClock.Instant,
        _ terminal: Terminal
    ) {
        guard terminal.isJSON else { return terminal.note(timing(count, since: clock)) }
        let seconds = (ContinuousClock.now - clock).inSeconds
        let object: JSON = ["rows": JSON(count), "milliseconds": .double(seconds * 1_000)]
        terminal.write(object.canonicalText + "\n", to: 2)
    }

    /// The number of rows and the time since a moment, as people read them.
    static func timing(_ count: Int, since clock: ContinuousClock.Instant) -> String {
        let seconds = (ContinuousClock.now - clock).inSeconds
        let time =
            seconds < 1
            ? "\(Numbers.decimal(seconds * 1_000, places: 1)) ms" : Numbers.seconds(seconds)
        return "\(Numbers.count(count, "row")) in \(time)"
    }

    private static func format(
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws(Failure) -> RowFormat {
        guard let name = arguments.value("--format") else {
            return terminal.isJSON ? .lines : .table
        }
        guard let format = RowFormat(name: name) else {
            let names = RowFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--format takes \(names), not \"\(name)\"")
        }
        guard !terminal.isJSON || [.lines, .array].contains(format) else {
            throw .usage("--json and --format \(name) contradict each other; choose one")
        }
        return format
    }

    private static func parameters(
        _ arguments: Arguments
    ) throws(Failure) -> [ExactText: QueryValue] {
        var parameters: [ExactText: QueryValue] = [:]
        for text in arguments.values("--param") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")), end > text.startIndex
            else { throw .usage("--param takes NAME=VALUE, not \"\(text)\"") }
            let value = String(text[text.utf8.index(after: end)...])
            // A shell that does not treat $name as its own variable leaves the sign there.
            let name = String(text[..<end].drop { $0 == "$" })
            let found = try QuerySession.value(value, of: name)
            guard parameters.updateValue(found, forKey: ExactText(name)) == nil else {
                throw .usage("--param gives $\(name) a value twice")
            }
        }
        return parameters
    }
}

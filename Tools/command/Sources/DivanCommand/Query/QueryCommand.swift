import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanQuery

/// `divan query`.
enum QueryCommand: Command {
    static let syntax = CommandSyntax(
        name: "query",
        summary: "run a SQL++ query",
        operands: [.database, .init(name: "SELECT")],
        options: [
            .value(
                "--param",
                "NAME=VALUE",
                short: "-p",
                isRepeating: true,
                "set $NAME to VALUE: JSON, or text if it is not valid JSON"
            ),
            .value(
                "--format",
                "FORMAT",
                short: "-f",
                completion: .word(of: RowFormat.allCases.map(\.rawValue)),
                "table, json, jsonl, csv or markdown (default: table)"
            ).grouped(.output),
            .flag("--explain", "show the query plan instead of running the query"),
            .flag("--timer", "print the row count and the time to standard error")
                .grouped(.output),
            .flag("--no-pager", "do not use a pager").grouped(.output),
            .flag("--watch", "print the rows again when they change, until interrupted (Ctrl-C)"),
            .json,
        ],
        details: """
            A parameter without a value is MISSING. JSON leaves MISSING columns out; the other
            formats leave them empty. NULL is written as null, but is empty in CSV. In table, csv
            and markdown, SELECT * has a column for each property.

            --json is the same as --format jsonl, and also applies to the output of --explain and
            --timer. Rows that do not fit on the terminal are shown with DIVAN_PAGER, PAGER or
            less.
            """,
        examples: [
            "divan query travel 'SELECT name FROM travel.hotels WHERE stars > 3'",
            "divan query travel 'SELECT COUNT(*) FROM _ WHERE land = $l' -p l=FR",
            "divan query travel 'SELECT * FROM _' --format csv",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try run(arguments.operands[1], arguments, terminal)
    }

    /// Runs a query with the options of a command line.
    static func run(_ question: String, _ arguments: Arguments, _ terminal: Terminal) throws {
        let format = try format(arguments, terminal)
        if arguments.has("--explain"), arguments.has("--watch") {
            throw Failure.usage("'--explain' and '--watch' cannot be combined")
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
        if arguments.has("--timer") { printTime(count, since: clock, terminal) }
        try poll?.run(format, terminal)
    }

    private static func printTime(
        _ count: Int,
        since clock: ContinuousClock.Instant,
        _ terminal: Terminal
    ) {
        guard terminal.isJSON else { return terminal.note(timing(count, since: clock)) }
        let seconds = (ContinuousClock.now - clock).inSeconds
        let object: JSON = ["rows": JSON(count), "milliseconds": .double(seconds * 1_000)]
        terminal.write(object.canonicalText + "\n", to: .standardError)
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
            throw .usage("invalid value '\(name)' for '--format'", hint: "use one of \(names)")
        }
        guard !terminal.isJSON || [.lines, .array].contains(format) else {
            throw .usage("'--json' and '--format \(name)' cannot be combined")
        }
        return format
    }

    private static func parameters(
        _ arguments: Arguments
    ) throws(Failure) -> [ExactText: QueryValue] {
        var parameters: [ExactText: QueryValue] = [:]
        for text in arguments.values("--param") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")), end > text.startIndex
            else {
                throw .usage("invalid value '\(text)' for '--param'", hint: "write NAME=VALUE")
            }
            let value = String(text[text.utf8.index(after: end)...])
            // A shell that does not treat $name as its own variable leaves the sign there.
            let name = String(text[..<end].drop { $0 == "$" })
            let found = try QuerySession.value(value, of: name)
            guard parameters.updateValue(found, forKey: ExactText(name)) == nil else {
                throw .usage("'--param' sets $\(name) twice")
            }
        }
        return parameters
    }
}

import DivanJSON
import DivanQuery
import DivanStore

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
            .json,
        ],
        details:
            "Without a value a parameter is MISSING. In json and jsonl MISSING columns are left "
            + "out; elsewhere they are empty, as null is. --json is --format jsonl.",
        examples: [
            "divan query travel 'SELECT name FROM travel.hotels WHERE stars > 3'",
            "divan query travel 'SELECT COUNT(*) FROM _ WHERE land = $l' -p l=FR",
            "divan query travel 'SELECT * FROM _' --format csv",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let format = try format(arguments, terminal)
        let parameters = try parameters(arguments)
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let text = arguments.operands[1]
        let catalogue = StoreCatalogue(store: store, name: arguments.database.name)
        let statement = try QueryStatement(sql: text).checked(against: catalogue, text: text)
        for name in parameters.keys.sorted() where !statement.parameters.contains(name) {
            throw Failure(
                kind: .invalid,
                sentence: "the query has no parameter $\(name)"
            )
        }
        let query = StorageQuery(statement, parameters: parameters)
        guard !arguments.has("--explain") else {
            let plan = try store.plan(of: query)
            terminal.result(plan.sql + "\n")
            for step in plan.steps { terminal.result(step.text) }
            return
        }
        let rows = try store.rows(of: query)
        defer { rows.end() }
        try terminal.results { line in
            var writer = RowWriter(format, titles: rows.titles.map(\.text))
            while let row = try rows.next() { try writer.write(row, line) }
            try writer.finish(line)
        }
    }

    private static func format(
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws(Failure) -> RowFormat {
        guard let name = arguments.value("--format") else {
            return terminal.isJSON ? .lines : .table
        }
        guard let format = RowFormat(rawValue: name) else {
            let names = RowFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--format takes \(names), not \"\(name)\"")
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
            let json = (try? JSON(parsing: value)) ?? .string(value)
            parameters[ExactText(String(text[..<end]))] = QueryValue(json)
        }
        return parameters
    }
}

/// A database as the checks of a query look at it.
private struct StoreCatalogue: QueryCatalogue {
    let store: Store
    let databaseName: ExactText

    init(store: Store, name: String) {
        self.store = store
        databaseName = ExactText(name)
    }

    func hasCollection(_ collection: QueryCollection) throws -> Bool {
        try store.read { try $0.hasCollection(collection) }
    }

    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool {
        guard let path = CollectionPath(collection) else { return false }
        return try store.read { reader in
            try reader.indexes(in: path).contains { $0.name == name && $0.kind == .fullText }
        }
    }
}

extension QueryValue {
    fileprivate init(_ json: JSON) {
        switch json {
        case .null: self = .missing
        case .bool(let value): self = .boolean(value)
        case .int(let value): self = .integer(value)
        case .string(let text): self = .string(text)
        case .array, .object: self = .container((try? json.canonicalBytes()) ?? [])
        case .uint, .double, .long: self = .double(json.double ?? 0)
        }
    }
}

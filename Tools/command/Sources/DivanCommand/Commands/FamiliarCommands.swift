import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// `divan mkcoll`: what `collections --make` does, under cblite's name for it.
enum MakeCollectionCommand: Command {
    static let syntax = CommandSyntax(
        name: "mkcoll",
        summary: "create collections",
        operands: [.database, .init(name: "NAME", isRepeating: true)],
        options: [.json],
        details: """
            Existing collections are left unchanged.
            """,
        examples: ["divan mkcoll travel travel.hotels travel.routes"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let words = arguments.operands.dropFirst()
        guard !words.isEmpty else { throw Failure.usage("divan mkcoll: missing argument NAME") }
        let names = try CollectionName.parsing(each: words)
        var areNew: [Bool] = []
        try arguments.database.using(.changing) { database in
            try database.inBatch {
                for name in names {
                    areNew.append(try database.collection(name) == nil)
                    _ = try database.createCollection(name)
                }
            }
        }
        for (name, isNew) in zip(names, areNew) { terminal.doneMaking("\(name)", isNew: isNew) }
    }
}

/// `divan select`: what `query` does, without having to type SELECT again.
enum SelectCommand: Command {
    static let syntax: CommandSyntax = {
        var syntax = QueryCommand.syntax
        syntax.name = "select"
        syntax.summary = "run a query without typing SELECT"
        syntax.operands = [.database, .init(name: "EXPRESSION", isRepeating: true)]
        syntax.examples = ["divan select travel 'name FROM travel.hotels WHERE stars > 3'"]
        return syntax
    }()

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let words = arguments.operands.dropFirst().joined(separator: " ")
        guard !words.isEmpty else {
            throw Failure.usage("divan select: missing argument EXPRESSION")
        }
        // If SELECT is typed all the same, no second one is meant.
        let isWhole =
            words.prefix(6).uppercased() == "SELECT"
            && words.dropFirst(6).first?.isWhitespace == true
        try QueryCommand.run(isWhole ? words : "SELECT " + words, arguments, terminal)
    }
}

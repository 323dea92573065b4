import Divan
import DivanCommandLine
import DivanJSON

/// Which collections are synced if the command line leaves that to the peer.
struct CollectionChoice {
    private let arguments: Arguments
    private let direction: ReplicatorType
    private let terminal: Terminal
    /// The collections of a database in which nothing was saved before the run; else `nil`.
    private let collectionsOfNew: [CollectionName]?

    init(_ arguments: Arguments, _ direction: ReplicatorType, _ terminal: Terminal) throws(Failure)
    {
        self.arguments = arguments
        self.direction = direction
        self.terminal = terminal
        let ways = ["--collections", "--all-collections", "--list-collections"]
        let given = ways.filter { arguments.has($0) }
        guard given.count < 2 else {
            throw .usage("\(given[0]) and \(given[1]) contradict each other; choose one")
        }
        // Nobody is asked for a password a second time for the sake of a hint.
        let asks =
            arguments.has("--proxy") || arguments.has("--user") && Secret.isAskedFor(arguments)
        let mayHint = direction != .push && given.isEmpty && !terminal.isJSON && !asks
        collectionsOfNew =
            mayHint ? (try? arguments.database.collectionsIfNeverFilled()) ?? nil : nil
    }

    /// Whether only the names are requested.
    var isList: Bool { arguments.has("--list-collections") }

    /// Prints the names of the peer's collections, and which of them are missing here.
    func list() throws {
        let here = Set(try arguments.database.collectionNames())
        let names = try PeerCollections.ask(arguments, terminal)
        for name in names {
            guard !terminal.isJSON else {
                let object: JSON = [
                    "name": .string("\(name)"), "here": .bool(here.contains(name)),
                ]
                terminal.result(object.canonicalText)
                continue
            }
            terminal.result("\(name)" + (here.contains(name) ? "" : "  (not here)"))
        }
        if names.isEmpty { terminal.note("The peer shares no collection with us") }
    }

    /// The command line with the peer's collections named, if all of them are requested.
    func settled() throws -> Arguments {
        guard arguments.has("--all-collections") else { return arguments }
        let names = try PeerCollections.ask(arguments, terminal)
        guard !names.isEmpty else {
            throw Failure(kind: .notFound, sentence: "the peer shares no collection with us")
        }
        return arguments.setting("--collections", to: names.map(\.description))
    }

    /// What to type if an empty database met a peer that has collections with other names.
    ///
    /// The peer is not asked if documents exist already, or collections were named.
    var hint: String? {
        guard let here = collectionsOfNew,
            let there = try? PeerCollections.ask(arguments, terminal)
        else { return nil }
        let missing = there.filter { !here.contains($0) }.map(\.description)
        guard !missing.isEmpty else { return nil }
        let names = missing.prefix(Self.namedCount).joined(separator: ", ")
        let more =
            missing.count > Self.namedCount ? " and \(missing.count - Self.namedCount) more" : ""
        return "the peer shares \(names)\(more), too; --all-collections takes them"
    }

    private static let namedCount = 5
}

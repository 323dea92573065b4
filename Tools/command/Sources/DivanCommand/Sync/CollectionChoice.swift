import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// The collections to sync, if they depend on the peer.
struct CollectionChoice {
    private let arguments: Arguments
    private let direction: ReplicatorType
    private let terminal: Terminal
    /// The collections of a database in which nothing was saved before the run; else `nil`, and also if the run takes
    /// all collections of the peer anyway.
    private let collectionsOfNew: [CollectionName]?
    /// Whether a pull includes all collections of the peer: the database has only an empty default collection.
    private let takesAll: Bool

    init(_ arguments: Arguments, _ direction: ReplicatorType, _ terminal: Terminal) throws(Failure)
    {
        self.arguments = arguments
        self.direction = direction
        self.terminal = terminal
        let ways = ["--collections", "--all-collections", "--list-collections"]
        let way = try arguments.onlyOption(of: ways)
        let mayAsk = direction != .push && way == nil
        let collections = mayAsk ? (try? arguments.database.collectionsIfNeverFilled()) ?? nil : nil
        takesAll = collections == [.default]
        collectionsOfNew = terminal.isJSON || takesAll ? nil : collections
    }

    /// Whether only the names are requested.
    var isList: Bool { arguments.has("--list-collections") }

    /// Prints the names of the peer's collections, and which of them do not exist locally.
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
            terminal.result("\(name)" + (here.contains(name) ? "" : "  (not in this database)"))
        }
        if names.isEmpty { terminal.note("The peer shares no collections") }
    }

    /// The command line with the peer's collections named, if all of them are requested, or the database has only
    /// an empty default one.
    func settled() throws -> Arguments {
        guard arguments.has("--all-collections") else {
            guard takesAll, let names = try namesIfListed(),
                names.contains(where: { $0 != .default })
            else { return arguments }
            return arguments.setting("--collections", to: names.map(\.description))
        }
        let names = try PeerCollections.ask(arguments, terminal)
        guard !names.isEmpty else {
            throw Failure(kind: .notFound, sentence: "the peer shares no collections")
        }
        return arguments.setting("--collections", to: names.map(\.description))
    }

    /// The peer's collections; `nil` if it cannot list them, or if the connection fails, which the run then reports.
    private func namesIfListed() throws -> [CollectionName]? {
        do {
            return try PeerCollections.ask(arguments, terminal)
        } catch let failure as Failure where failure.kind == .usage {
            // Such as a password that was not typed.
            throw failure
        } catch {
            return nil
        }
    }

    /// The hint for an empty database whose peer has collections with other names.
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
        return "the peer also shares \(names)\(more); add '--all-collections' to sync them"
    }

    private static let namedCount = 5
}

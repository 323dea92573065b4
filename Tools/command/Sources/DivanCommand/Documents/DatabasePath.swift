import CouchbaseLiteSwift
import DivanCommandLine
import DivanPlatform
import Foundation

/// Where a database is: what a person typed, resolved.
///
/// `travel`, `travel.cblite2` and `/data/travel.cblite2/` all name a bundle directory.
struct DatabasePath: Equatable, Sendable {
    /// The directory that holds the bundle.
    let parent: String
    /// The database's name, without the suffix.
    let name: String

    init(_ text: String) {
        var path = text
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let url = URL(fileURLWithPath: path)
        parent = url.deletingLastPathComponent().path
        let last = url.lastPathComponent
        name = last.hasSuffix(Self.suffix) ? String(last.dropLast(Self.suffix.count)) : last
    }

    /// Refuses words that cannot name a local database.
    static func check(_ text: String) throws(Failure) {
        guard !text.contains("://") else {
            throw .usage(
                "'\(text)' is a URL, not a database",
                hint: "give a local database first: 'divan sync DB \(text)'"
            )
        }
        let isPlace = ["", ".", ".."].contains(text.split(separator: "/").last ?? "")
        let path = DatabasePath(text)
        // Inside a bundle, its own directory is meant.
        let isInside = isPlace && path.exists
        guard !isPlace || isInside, !path.name.isEmpty else {
            throw .usage(
                "'\(text)' is not a database name",
                hint: "use a name or a path, such as 'travel' or '/data/travel'"
            )
        }
    }

    /// Refuses a database of this machine where a command takes the URL of a peer.
    static func refuse(asPeer text: String) throws(Failure) {
        let path = DatabasePath(text)
        guard !text.contains("://"), path.exists else { return }
        throw .usage(
            "'\(text)' is a local database, not the URL of a peer",
            hint: "copy the database with 'divan cp'; or run 'divan serve \(path.word) --no-tls "
                + "--interface 127.0.0.1', and use the URL that it prints"
        )
    }

    /// Whether words name a file of JSON lines instead of a database.
    static func isLines(_ text: String) -> Bool { text.hasSuffix(".jsonl") }

    /// The bundle directory.
    var bundle: String { "\(parent == "/" ? "" : parent)/\(name)\(Self.suffix)" }

    /// The database's name in a suggested command line: relative to the current
    /// directory, quoted as one shell word.
    var word: String {
        let isHere = parent == FileManager.default.currentDirectoryPath
        return (isHere ? name : "\(parent == "/" ? "" : parent)/\(name)").wordForShell
    }

    /// Whether there is a database.
    var exists: Bool { Database.exists(withName: name, inDirectory: parent) }

    /// - Throws: `Failure` if there is no database.
    func requireExisting() throws(Failure) {
        guard exists else { throw .noDatabase(self) }
    }

    /// The status of the database file and of its log; `nil` for one that does not exist.
    var fileStatus: [FileStatus?] {
        ["db.sqlite3", "db.sqlite3-wal"].map { try? FileStatus(of: "\(bundle)/\($0)") }
    }

    static let suffix = ".cblite2"
}

extension Arguments {
    /// Parses the words of a command's line, and refuses operands that cannot name a local database.
    ///
    /// - Throws: `Failure` of kind `usage`.
    init(naming words: some Swift.Collection<String>, syntax: CommandSyntax) throws(Failure) {
        try self.init(words, syntax: syntax)
        if wantsHelp { return }
        for text in operands(ofKind: .database, syntax) { try DatabasePath.check(text) }
    }
}

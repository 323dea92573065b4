@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
public import Foundation

/// A database: a directory with collections of JSON documents and their blobs.
///
/// ```swift
/// let db = try Database.open("shop")
/// let notes = try db.collection("notes")
/// ```
///
/// Safe to use from any thread and task. It is closed when nothing uses it any more, or with `close()`. Every call
/// exists as a plain and as an `async` function: in `async` code, `try await` runs it on a thread that may wait for the
/// disk, and stops waiting for nothing else. Only one process can have a database open for writing.
public final class Database: Sendable {
    /// The database of the compatible API below.
    let official: OfficialDatabase

    init(_ official: OfficialDatabase) {
        self.official = official
    }

    /// The name, without directory and extension.
    public var name: String { official.name }

    /// The database's directory; `nil` in memory, and after it was closed.
    public var url: URL? { official.path.map { URL(filePath: $0, directoryHint: .isDirectory) } }

    // MARK: Opening

    /// Opens a database, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - name: The name; its directory is `<name>.cblite2`.
    ///   - directory: The directory that contains it. By default, the environment variable `DIVAN_DIRECTORY`, or else
    ///     `CouchbaseLite` in the user's data directory.
    ///   - options: How to open it.
    /// - Returns: The open database.
    /// - Throws: ``DivanError/Code/wrongKey``, `notFound` with ``Options/mustExist``, `busy` if another process has it
    ///   open for writing, `notADatabase`, `unsupportedVersion`, and file system errors.
    public static func open(
        _ name: String,
        in directory: URL? = nil,
        _ options: Options = Options()
    ) throws -> Database {
        try DivanError.converting(place: "database \(name)") {
            let configuration = options.configuration(in: directory)
            guard
                !options.mustExist
                    || OfficialDatabase.exists(withName: name, inDirectory: configuration.directory)
            else { throw missing(name, in: configuration.directory) }
            return Database(try OfficialDatabase(name: name, config: configuration))
        }
    }

    /// Opens the database in a directory `….cblite2`, and creates it if it does not exist.
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for another extension; the same errors as
    ///   `open(_:in:_:)`.
    public static func open(
        _ url: URL,
        _ options: Options = Options()
    ) throws -> Database {
        guard url.isFileURL, url.pathExtension == fileExtension else {
            throw DivanError(
                .invalidArgument,
                place: url.path,
                problem: "it is not the directory of a database",
                remedy: "use a file URL with the extension \(fileExtension), or a name"
            )
        }
        return try open(
            url.deletingPathExtension().lastPathComponent,
            in: url.deletingLastPathComponent(),
            options
        )
    }

    /// Creates an empty database in memory, which is discarded when it is closed.
    ///
    /// For tests and temporary data; it supports everything that a database on disk supports.
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for an empty name.
    public static func inMemory(
        name: String = "memory",
        _ options: Options = Options()
    ) throws -> Database {
        try DivanError.converting(place: "database \(name)") {
            Database(
                try OfficialDatabase.inMemory(name: name, config: options.configuration(in: nil))
            )
        }
    }

    private static let fileExtension = "cblite2"

    private static func missing(_ name: String, in directory: String) -> DivanError {
        DivanError(
            .notFound,
            place: "database \(name)",
            problem: "it does not exist in \(directory)",
            remedy: "check the name and the directory, or create it without mustExist"
        )
    }

    // MARK: Transactions

    /// Runs `body` in a transaction: either all of its changes are stored, or none.
    ///
    /// All calls of this database on the same thread take part in the transaction, including those of its collections.
    /// Other writers wait until it ends, and other threads do not see its changes before. If `body` throws, the changes
    /// are rolled back. Transactions can be nested.
    ///
    /// ```swift
    /// try db.write { _ in
    ///     try accounts.update("a", as: Account.self) { $0.balance -= 5 }
    ///     try accounts.update("b", as: Account.self) { $0.balance += 5 }
    /// }
    /// ```
    ///
    /// - Returns: The result of `body`.
    /// - Throws: Errors thrown by `body`, unchanged; ``DivanError``.
    @discardableResult
    public func write<Output>(_ body: (Transaction) throws -> Output) throws -> Output {
        var outcome: Swift.Result<Output, any Error>?
        do {
            try official.inBatch {
                do {
                    outcome = .success(try body(Transaction(database: self)))
                } catch {
                    outcome = .failure(error)
                    throw error
                }
            }
        } catch {
            if case .failure(let own) = outcome { throw own }
            throw DivanError(error, place: place)
        }
        guard let outcome else { throw DivanError(.notOpen, place: place, problem: "it is closed") }
        return try outcome.get()
    }

    /// Runs `body` with a snapshot of the database, while others can write.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: Errors thrown by `body`, unchanged; ``DivanError``.
    public func read<Output>(_ body: (Snapshot) throws -> Output) throws -> Output {
        var outcome: Swift.Result<Output, any Error>?
        try DivanError.converting(place: place) {
            try official.openStore().read { reader in
                // The first read fixes the moment.
                _ = try reader.collections()
                outcome = Swift.Result { try body(Snapshot(reader, of: self)) }
            }
        }
        guard let outcome else { throw DivanError(.notOpen, place: place, problem: "it is closed") }
        return try outcome.get()
    }

    // MARK: Closing

    /// Stops everything that uses the database, waits for it, and closes it; a second call does nothing.
    ///
    /// - Throws: ``DivanError/Code/insideTransaction``.
    public func close() throws {
        try DivanError.converting(place: place) { try official.close() }
    }

    /// Closes the database and deletes its files.
    ///
    /// - Throws: ``DivanError/Code/busy`` while it is open elsewhere in this process; `insideTransaction`; `notOpen`;
    ///   file system errors.
    public func delete() throws {
        try DivanError.converting(place: place) { try official.delete() }
    }

    /// The place in messages.
    var place: String { "database \(name)" }

    /// The store below, for hot paths.
    func store() throws -> Store { try official.openStore() }
}

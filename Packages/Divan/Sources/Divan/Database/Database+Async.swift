@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
public import Foundation

// The `async` form of each call: the same, on a thread that may wait for the disk. Each throws
// `cancelled` if the task was cancelled before it began.
extension Database {
    /// Opens a database; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public static func open(
        _ name: String,
        in directory: URL? = nil,
        _ options: Options = Options()
    ) async throws -> Database {
        try await Background.reading { try open(name, in: directory, options) }
    }

    /// Opens the database in a directory `….cblite2`; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public static func open(
        _ url: URL,
        _ options: Options = Options()
    ) async throws -> Database {
        try await Background.reading { try open(url, options) }
    }

    /// Runs `body` in a transaction; see the synchronous form.
    ///
    /// Transactions of `async` code run one after another. The body itself is synchronous: it must not wait for other
    /// tasks.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func write<Output: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Output
    ) async throws -> Output {
        try Background.requireActive()
        return try await official.inBackground { try self.write(body) }
    }

    /// Runs `body` with a snapshot; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func read<Output: Sendable>(
        _ body: @escaping @Sendable (Snapshot) throws -> Output
    ) async throws -> Output {
        try await Background.rethrowing { try self.read(body) }
    }

    /// Returns a collection, and creates it if it does not exist; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func collection(_ name: String) async throws -> DocumentCollection {
        try await writing { try self.collection(name) }
    }

    /// Returns a collection if it exists; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func existingCollection(_ name: String) async throws -> DocumentCollection? {
        try await Background.reading { try self.existingCollection(name) }
    }

    /// Deletes a collection; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func deleteCollection(_ name: String) async throws {
        try await writing { try self.deleteCollection(name) }
    }

    /// Stops everything that uses the database, and closes it; see the synchronous form.
    ///
    /// Runs even if the task is cancelled.
    ///
    /// - Throws: The same errors as the synchronous form.
    public func close() async throws {
        do {
            try await Background.always { try self.close() }
        } catch {
            throw DivanError(error)
        }
    }

    /// Closes the database and deletes its files; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func delete() async throws {
        try await Background.reading { try self.delete() }
    }

    /// Compacts the database; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func compact() async throws {
        try await Background.reading { try self.compact() }
    }

    /// Verifies every document and blob; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func verify() async throws {
        try await Background.reading { try self.verify() }
    }

    /// Encrypts the database with another key; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func changeKey(_ key: EncryptionKey?) async throws {
        try await Background.reading { try self.changeKey(key) }
    }

    /// Stores the content of a file as a blob; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func blob(
        contentsOf file: URL,
        type: String = "application/octet-stream"
    ) async throws -> Blob {
        try await Background.reading { try self.blob(contentsOf: file, type: type) }
    }

    /// Runs a writing call: writes of `async` code wait in one line, which costs no thread each.
    func writing<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try Background.requireActive()
        do {
            return try await official.inBackground(body)
        } catch {
            throw DivanError(error, place: place)
        }
    }
}

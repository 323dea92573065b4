/// A namespace for collections.
///
/// It exists while it has a collection; the default scope always exists.
public final class Scope: Sendable {
    /// The name of the default scope.
    public static let defaultScopeName = Database.defaultScopeName

    /// The name.
    public let name: String
    /// The database.
    public let database: Database

    init(name: String, database: Database) {
        self.name = name
        self.database = database
    }

    /// Returns the scope's collections.
    ///
    /// - Throws: `CBLError.notOpen` when the database is closed.
    public func collections() throws -> [Collection] {
        try database.collections(scope: name)
    }

    /// Returns a collection of this scope, or `nil` if it does not exist.
    ///
    /// - Throws: `CBLError.invalidParameter` for an invalid name; `notOpen` when the database is closed.
    public func collection(name: String) throws -> Collection? {
        try database.collection(name: name, scope: self.name)
    }
}

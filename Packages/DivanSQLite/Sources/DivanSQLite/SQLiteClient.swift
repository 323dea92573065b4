/// The owner of a connection: the error in which it reports, and the SQL functions that it adds.
///
/// A connection and its statements throw the owner's error, so that none of their callers has to convert one.
/// Called on the thread that uses the connection.
public protocol SQLiteClient: SendableMetatype {
    /// What the connection throws.
    associatedtype Failure: Error

    /// Converts an error.
    static func failure(_ error: SQLiteError) -> Failure

    /// Adds what every statement may use to a connection that was just opened.
    ///
    /// - Parameter connection: The `sqlite3` handle, which is valid until the connection is released.
    /// - Returns: SQLite's result code.
    func prepare(_ connection: OpaquePointer) -> Int32

    /// Adds functions and collations that few connections need.
    ///
    /// Called once, when a statement does not compile, which is then compiled again.
    ///
    /// - Parameter connection: Its handle is valid until it is released. A function that runs statements on it must not
    ///   hold it, since it holds the function.
    /// - Returns: SQLite's result code.
    func addFunctions(to connection: SQLiteConnection<Self>) -> Int32
}

extension SQLiteClient {
    /// Adds nothing.
    public func prepare(_ connection: OpaquePointer) -> Int32 { 0 }

    /// Adds nothing.
    public func addFunctions(to connection: SQLiteConnection<Self>) -> Int32 { 0 }
}

/// An owner that adds no functions and reports what SQLite reports.
public struct PlainSQLite: SQLiteClient, Sendable {
    /// Creates an owner.
    public init() {}

    /// The error itself.
    public static func failure(_ error: SQLiteError) -> SQLiteError { error }
}

@_spi(Modern) internal import CouchbaseLiteSwift
public import Foundation

extension Database {
    /// Checks whether a database exists.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - directory: The directory that contains it; `nil` for the default of `open(_:in:_:)`.
    /// - Returns: Whether `open(_:in:_:)` would find it.
    public static func exists(_ name: String, in directory: URL? = nil) -> Bool {
        OfficialDatabase.exists(
            withName: name,
            inDirectory: Options().configuration(in: directory).directory
        )
    }

    /// Copies one consistent state of a database, with its blobs, even while it is in use; does not open the copy.
    ///
    /// The copy has its own sync checkpoints. To start with a database that the application contains:
    ///
    /// ```swift
    /// if !Database.exists("shop") { try Database.copy(bundled, to: "shop") }
    /// let db = try Database.open("shop")
    /// ```
    ///
    /// - Parameters:
    ///   - source: The directory `….cblite2` of the database.
    ///   - name: The name of the copy.
    ///   - directory: The directory for the copy; `nil` for the default of `open(_:in:_:)`.
    ///   - options: With the key of an encrypted database, which the copy also uses.
    /// - Throws: ``DivanError/Code/alreadyExists`` if a database with that name exists; `notFound` if the source does
    ///   not exist; `wrongKey`; file system errors.
    public static func copy(
        _ source: URL,
        to name: String,
        in directory: URL? = nil,
        _ options: Options = Options()
    ) throws {
        try DivanError.converting(place: "database \(name)") {
            try OfficialDatabase.copy(
                fromPath: source.path(percentEncoded: false),
                toDatabase: name,
                withConfig: options.configuration(in: directory)
            )
        }
    }

    /// Copies a database; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public static func copy(
        _ source: URL,
        to name: String,
        in directory: URL? = nil,
        _ options: Options = Options()
    ) async throws {
        try await Background.reading { try copy(source, to: name, in: directory, options) }
    }
}

import DivanDatabase
import DivanJSON
import DivanLog
import DivanQuery
import Foundation

/// A type that has indexes: a collection.
public protocol Indexable {
    /// The names of the indexes, sorted.
    func indexes() throws -> [String]
    /// Creates an index from SQL++ expressions.
    func createIndex(withName name: String, config: any IndexConfiguration) throws
    /// Creates an index built with `IndexBuilder`.
    func createIndex(_ index: any Index, name: String) throws
    /// Removes an index.
    func deleteIndex(forName name: String) throws
    /// An index by its name.
    func index(withName name: String) throws -> QueryIndex?
}

/// An index of a collection.
public final class QueryIndex: Sendable {
    /// The collection.
    public let collection: Collection
    /// Its name, unique within the collection.
    public let name: String

    init(_ name: String, of collection: Collection) {
        self.name = name
        self.collection = collection
    }
}

extension Collection: Indexable {
    /// Returns the names of the indexes, sorted.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func indexes() throws -> [String] {
        let path = path
        return try read { reader in try reader.indexes(in: path).map(\.name.text) }
    }

    /// Creates an index from SQL++ expressions.
    ///
    /// It contains all existing documents, and is updated with each save.
    ///
    /// An identical index with the same name is kept; a different one is replaced.
    ///
    /// - Throws: `CBLError.invalidQuery` for malformed expressions, `notOpen`.
    public func createIndex(withName name: String, config: any IndexConfiguration) throws {
        try createIndex(indexPlan { try IndexPlan(config, of: $0) }, name)
    }

    /// Creates an index built with `IndexBuilder`.
    ///
    /// - Throws: The same errors as ``createIndex(withName:config:)``.
    public func createIndex(_ index: any Index, name: String) throws {
        try createIndex(indexPlan { try IndexPlan(index, of: $0) }, name)
    }

    /// Removes an index, even a damaged one; does nothing if it does not exist.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func deleteIndex(forName name: String) throws {
        let path = path
        try write { try $0.deleteIndex(ExactText(name), in: path) }
    }

    /// Returns an index, or `nil` if none has that name.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func index(withName name: String) throws -> QueryIndex? {
        let (path, wanted) = (path, ExactText(name))
        let isThere = try read { try $0.indexes(in: path).contains { $0.name == wanted } }
        return isThere ? QueryIndex(name, of: self) : nil
    }

    /// An index as the store creates it.
    ///
    /// - Throws: `CBLError.notOpen`; `invalidQuery`.
    func indexPlan(_ plan: (QueryCollection) throws -> IndexPlan) throws -> IndexPlan {
        _ = try openStore()
        return try translatingErrors { try plan(QueryCollection(path)) }
    }

    func createIndex(_ plan: IndexPlan, _ name: String, control: IndexBuildControl? = nil) throws {
        guard !name.isEmpty else {
            throw NSError(CBLError.invalidParameter, "the index name is empty; pass a name")
        }
        let (path, timer) = (path, LogTimer())
        try write {
            try $0.createIndex(
                ExactText(name),
                plan.definition,
                source: plan.source,
                in: path,
                control: control
            )
        }
        Journal.query.info("Index \(name) of \(fullName) created in \(timer.text)")
    }
}

extension Database {
    /// The names of the default collection's indexes, sorted.
    @available(*, deprecated, message: "Use defaultCollection().indexes().")
    public var indexes: [String] {
        guard let names = try? defaultCollection().indexes() else {
            stopForMisuse("Database \(name) is closed; open it again")
        }
        return names
    }

    /// Creates an index of the default collection.
    @available(*, deprecated, message: "Use defaultCollection().createIndex(_:name:).")
    public func createIndex(_ index: any Index, withName name: String) throws {
        try defaultCollection().createIndex(index, name: name)
    }

    /// Creates an index of the default collection.
    @available(*, deprecated, message: "Use defaultCollection().createIndex(withName:config:).")
    public func createIndex(_ config: any IndexConfiguration, name: String) throws {
        try defaultCollection().createIndex(withName: name, config: config)
    }

    /// Removes an index of the default collection.
    @available(*, deprecated, message: "Use defaultCollection().deleteIndex(forName:).")
    public func deleteIndex(forName name: String) throws {
        try defaultCollection().deleteIndex(forName: name)
    }
}

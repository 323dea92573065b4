public import DivanJSON
public import DivanQuery
public import DivanRevisions
internal import DivanSQL
internal import DivanSQLite
public import DivanStorage
internal import Synchronization

/// A condition in SQL++ that is evaluated for single documents.
///
/// It is translated like the condition of a query and evaluated by SQLite on a table with one row, so it is true
/// for exactly the documents that a query would find. It can use the body, the ID and whether the document is
/// deleted; other metadata differs between databases. Can be used by several threads, which wait for each other.
public final class BodyCondition: Sendable {
    /// The names of its parameters.
    public let parameterNames: [ExactText]
    /// Whether it uses `META().deleted`, so that deleted documents can meet it.
    public let asksAboutDeleted: Bool
    private let row: Mutex<SingleRowDatabase>

    /// Parses a condition.
    ///
    /// - Parameters:
    ///   - text: A single expression, such as `owner = $user`.
    ///   - parameters: A value for each parameter; others are ignored.
    /// - Throws: `QueryError` with the position in the text; `StoreError`.
    public convenience init(sql text: String, parameters: [ExactText: QueryValue] = [:]) throws {
        // Parsed alone first, so that the text is a condition and nothing more.
        let expression = try QueryExpression(sql: text)
        try self.init(expression, parameters: parameters, text: text)
    }

    /// Creates a condition from an expression that refers to the document as `alias`.
    ///
    /// - Throws: As ``init(sql:parameters:)``; `text` is its source, for positions in errors.
    public init(
        _ expression: QueryExpression,
        alias: ExactText? = nil,
        parameters: [ExactText: QueryValue] = [:],
        text: String? = nil
    ) throws {
        let one = QueryColumn(QueryExpression(.literal(.integer(1))))
        let source = QuerySource(.collection(scope: "_default", name: "_default"), alias: alias)
        let statement = try QueryStatement(columns: [one], sources: [source], filter: expression)
            .checked(against: SingleRowCatalogue(), text: text)
        try statement.requireLoneDocument()
        for name in statement.parameters where parameters[name] == nil {
            throw QueryError(
                "the parameter $\(name.text) has no value",
                code: .invalidQueryParameter
            )
        }
        parameterNames = statement.parameters
        asksAboutDeleted = statement.sources.contains(where: \.includesDeleted)
        row = Mutex(try SingleRowDatabase(statement, parameters))
    }

    /// Whether a document meets the condition.
    ///
    /// `body` is a JSON object. A deleted document meets a condition only if the condition uses `META().deleted`.
    ///
    /// - Throws: `StoreError` if the evaluation fails, for example a regular expression that takes too long.
    public func holds(
        of documentID: DocumentID,
        body: [UInt8],
        isDeleted: Bool = false
    ) throws(StoreError) -> Bool {
        try row.withLock { row throws(StoreError) in
            try row.meets(documentID, body, isDeleted: isDeleted)
        }
    }
}

/// A private database whose only table has one row, and the condition on it.
private final class SingleRowDatabase {
    static let table = "lone_document"

    private let replacing: StoreStatement
    private let asking: StoreStatement

    init(_ statement: CheckedStatement, _ parameters: [ExactText: QueryValue]) throws {
        let connection = try StoreConnection(path: ":memory:", mode: .memory)
        try connection.execute(
            """
            CREATE TABLE \(Self.table)
                (documentID TEXT, sequence INTEGER, revisionID BLOB, flags INTEGER,
                 expiration INTEGER, body TEXT);
            INSERT INTO \(Self.table) (flags) VALUES (0);
            """
        )
        replacing = try connection.prepare(
            "UPDATE \(Self.table) SET documentID = ?1, flags = ?2, body = CAST(?3 AS TEXT)"
        )
        let (translation, prepared) = try SQLiteQueryRun.prepare(
            statement,
            schema: SingleRowSchema(),
            on: connection
        )
        asking = prepared
        try asking.bind(translation, parameters) { _ in 1 }
    }

    func meets(
        _ documentID: DocumentID,
        _ body: [UInt8],
        isDeleted: Bool
    ) throws(StoreError) -> Bool {
        try replacing.bind(documentID.text, at: 1)
        try replacing.bind(isDeleted ? Int64(DocumentFlags.tombstone.rawValue) : 0, at: 2)
        try replacing.bind(body.isEmpty ? Array("{}".utf8) : body, at: 3)
        try replacing.run()
        defer { asking.reset() }
        return try asking.step()
    }
}

private struct SingleRowCatalogue: QueryCatalogue {
    var databaseName: ExactText { "" }

    func hasCollection(_ collection: QueryCollection) -> Bool { collection == .standard }

    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { false }
}

private struct SingleRowSchema: SQLSchema {
    let documentColumns = SQLDocumentColumns.stored
    var knowsLiveCounts: Bool { false }

    func table(of collection: QueryCollection) -> String { SingleRowDatabase.table }

    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) -> String? { nil }

    func fullTextTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLFullTextTable {
        throw QueryError("MATCH requires a full-text index; a single document has none")
    }
}

extension CheckedStatement {
    /// Rejects what is not a question about one document alone.
    fileprivate func requireLoneDocument() throws(QueryError) {
        guard !isAggregate else {
            throw QueryError("a condition on one document cannot contain an aggregate")
        }
        var rest = [filter].compactMap(\.self)
        while let expression = rest.popLast() {
            switch expression {
            case .exists:
                throw QueryError("a condition on one document cannot contain a subquery")
            case .metadata(_, .id), .metadata(_, .deleted): break
            case .metadata, .allMetadata:
                throw QueryError(
                    "a condition on one document can use only META().id and META().deleted; "
                        + "other metadata differs between databases"
                )
            default: rest += expression.children
            }
        }
    }
}

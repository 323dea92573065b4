internal import DivanJSON
internal import DivanQuery
internal import Foundation

/// The rows of a query at one moment; later saves do not change them.
///
/// ```swift
/// let rows = try db.query("SELECT title, done FROM notes WHERE done = $done", ["done": false])
/// for row in rows { print(row.title?.string ?? "") }
/// let titles = try rows.rows(as: Title.self)
/// ```
public struct Rows: RandomAccessCollection, Sendable {
    private let shared: Columns
    private let values: [[QueryValue]]

    init(_ columns: Columns, _ values: [[QueryValue]]) {
        shared = columns
        self.values = values
    }

    /// The names of the columns, in the order of the query.
    public var columns: [String] { shared.titles }
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { values.count }

    /// The row at a position.
    public subscript(position: Int) -> Row { Row(shared, values[position]) }

    /// Decodes every row; the type's keys are the names of the columns.
    ///
    /// With `SELECT *`, they are the properties of the document. With `SELECT META().id, *`, the type can have an `id`.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` for the first row that does not match.
    public func rows<Model: Decodable>(
        as type: Model.Type = Model.self
    ) throws -> [Model] {
        var models: [Model] = []
        models.reserveCapacity(values.count)
        for (index, row) in enumerated() {
            models.append(try Self.decoding(index) { try row.decode(as: type) })
        }
        return models
    }

    /// Decodes the first column of every row.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` for the first value that does not match, including a missing one.
    public func values<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws -> [Value] {
        var found: [Value] = []
        found.reserveCapacity(values.count)
        for (index, row) in enumerated() {
            found.append(try Self.decoding(index) { try row.firstValue(as: type) })
        }
        return found
    }

    /// Adds the number of a row to the error of decoding it.
    private static func decoding<Output>(_ index: Int, _ body: () throws -> Output) throws -> Output
    {
        do {
            return try body()
        } catch let error as DivanError where error.code == .decodingFailed {
            throw error.placed(in: "row \(index + 1)")
        }
    }

    /// Decodes the first column of the first row; `nil` if there is no row, or the value is null or missing.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the value does not match.
    public func value<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let row = first, let value = row[0], !value.isNull else { return nil }
        return try row.firstValue(as: type)
    }
}

/// The columns that the rows of a result share.
final class Columns: Sendable {
    let titles: [String]
    /// The columns that are complete documents.
    let bodies: [Int]
    let contents: BlobContents

    init(_ titles: [String], bodies: [Int], _ contents: BlobContents) {
        self.titles = titles
        self.bodies = bodies
        self.contents = contents
    }

    /// The position of a column; a short search through the names is faster than a table.
    func index(of title: String) -> Int? {
        for index in titles.indices where titles[index] == title { return index }
        return nil
    }
}

/// A row of a query, with its columns by name and by position.
///
/// Missing columns are `nil`, null is ``DocumentValue/null``.
@dynamicMemberLookup
public struct Row: Sendable {
    let columns: Columns
    private let values: [QueryValue]

    init(_ columns: Columns, _ values: [QueryValue]) {
        self.columns = columns
        self.values = values
    }

    /// The number of columns.
    public var count: Int { values.count }

    /// The value of a column; `nil` if it is missing, or no column has this name.
    public subscript(dynamicMember name: String) -> DocumentValue? { self[name] }

    /// The value of a column as a type; `nil` if it is missing or of another type.
    @inlinable
    public subscript<Value: DocumentValueConvertible>(dynamicMember name: String) -> Value? {
        guard let value = column(name) else { return nil }
        return Value(documentValue: value)
    }

    /// The value of a column; `nil` if it is missing, or no column has this name.
    public subscript(name: String) -> DocumentValue? { column(name) }

    /// The value of a column as a type; `nil` if it is missing or of another type.
    @inlinable
    public subscript<Value: DocumentValueConvertible>(name: String) -> Value? {
        guard let value = column(name) else { return nil }
        return Value(documentValue: value)
    }

    @usableFromInline
    func column(_ name: String) -> DocumentValue? {
        guard let index = columns.index(of: name) else { return nil }
        return self[index]
    }

    /// The value of the column at a position; `nil` if it is missing, or the position is out of range.
    public subscript(index: Int) -> DocumentValue? {
        guard values.indices.contains(index) else { return nil }
        switch values[index] {
        case .missing: return nil
        case .container(let text): return DocumentValue(text: text[...], columns.contents)
        case .binary(let bytes): return Blob(.init(bytes)).documentValue
        case let value: return value.json.map { DocumentValue($0, columns.contents) }
        }
    }

    /// The row as JSON text, without missing columns.
    public var json: String {
        // A document in canonical form, as nearly all are stored, is not parsed.
        if values.count == 1, columns.bodies == [0], case .container(let text) = values[0],
            let summary = try? JSONScanner.validate(text.span), summary.isCanonical
        {
            return String(decoding: text, as: UTF8.self)
        }
        return DocumentValue.text(of: .object(members))
    }

    /// Decodes the row; see ``Rows/rows(as:)``.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the row does not match the type.
    public func decode<Model: Decodable>(
        as type: Model.Type = Model.self
    ) throws -> Model {
        // A single document needs no lookup of columns.
        if values.count == 1, columns.bodies == [0], case .container(let text) = values[0] {
            return try ModelReader.read(type, text, contents: columns.contents)
        }
        return try ModelReader.read(type, self)
    }

    func firstValue<Value: Decodable>(as type: Value.Type) throws -> Value {
        let stored = json(at: 0)
        let place = "column \(columns.titles.first ?? "")"
        do {
            return try ModelReader.read(
                type,
                value: stored ?? .null,
                columns.contents,
                place: place
            )
        } catch  where stored == nil {
            throw DivanError(
                .decodingFailed,
                place: place,
                problem: "the row has no value for it",
                remedy: "check the name in the query, or read values of the type \(Value.self)?",
                underlying: error
            )
        }
    }

    // MARK: For decoding

    /// The value of a column, or of a property of a document that is a column.
    func json(_ name: String) -> JSON? {
        if let index = columns.index(of: name), let json = json(at: index) { return json }
        for body in columns.bodies {
            if case .container(let text) = values[body],
                let value = JSONText.value(of: name, in: text[...])
            {
                return DocumentValue(text: value, columns.contents).json
            }
        }
        return nil
    }

    func json(at index: Int) -> JSON? {
        guard values.indices.contains(index) else { return nil }
        if case .binary = values[index] { return self[index]?.json }
        return values[index].json
    }

    /// The value of the only column.
    var onlyValue: DocumentValue? { values.count == 1 ? self[0] : nil }

    /// All columns, and the properties of documents that are columns.
    var members: JSONObject {
        var members = UnorderedMembers(minimumCapacity: values.count)
        for body in columns.bodies {
            guard case .object(let object)? = json(at: body) else { continue }
            for (key, value) in object { members.append(value, forKey: key) }
        }
        for (index, title) in columns.titles.enumerated() where !columns.bodies.contains(index) {
            if let json = json(at: index) { members.append(json, forKey: title) }
        }
        return JSONObject(members)
    }
}

extension Row: CustomStringConvertible {
    /// The row as JSON text.
    public var description: String { json }
}

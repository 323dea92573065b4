import DivanDatabase
import DivanJSON
import DivanQuery
public import Foundation

/// A row of a result, with its columns by index and by name.
///
/// It stays valid when the result set advances. Columns that are MISSING or null return `nil`; ``contains(key:)``,
/// ``toDictionary()`` and ``toJSON()`` distinguish them. Safe to read from several threads.
///
/// Source: `sqlpp.md` §11.
public final class Result: ArrayProtocol, DictionaryProtocol, Sequence, Sendable {
    let columns: ResultColumns
    private let row: [QueryValue]
    /// The database from which its blobs are read.
    let database: Database
    private let handedOut = ReturnedObjects<Int>()

    init(_ row: [QueryValue], _ columns: ResultColumns, in database: Database) {
        self.row = row
        self.columns = columns
        self.database = database
    }

    /// Number of columns, including MISSING ones.
    public var count: Int { row.count }

    /// The names of all columns, in the order of the query.
    public var keys: [String] { columns.titles.map(\.text) }

    // MARK: By position

    /// Returns the value: `String`, `NSNumber`, `Blob` or a container; `nil` for null and MISSING.
    ///
    /// An index outside `0..<count` stops the program.
    public func value(at index: Int) -> Any? { object(at: checked(index)) }

    /// Returns the string, or `nil` if the value is not a string.
    public func string(at index: Int) -> String? { value(checked(index)).string }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public func number(at index: Int) -> NSNumber? { value(checked(index)).number }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int(at index: Int) -> Int { Int(clamping: value(checked(index)).int64) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int64(at index: Int) -> Int64 { value(checked(index)).int64 }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public func float(at index: Int) -> Float { Float(value(checked(index)).double) }

    /// Returns the number, 1 for true, otherwise 0.
    public func double(at index: Int) -> Double { value(checked(index)).double }

    /// Returns false for MISSING, null, false and zero; otherwise true.
    public func boolean(at index: Int) -> Bool { value(checked(index)).boolean }

    /// Returns the date that the string represents, or `nil`.
    public func date(at index: Int) -> Date? { value(checked(index)).date }

    /// Returns the blob, or `nil` if the value is not a blob.
    public func blob(at index: Int) -> Blob? { value(at: index) as? Blob }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(at index: Int) -> ArrayObject? { value(at: index) as? ArrayObject }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(at index: Int) -> DictionaryObject? {
        value(at: index) as? DictionaryObject
    }

    /// Returns the values as plain collections, `NSNull` for null and MISSING.
    public func toArray() -> [Any] {
        row.indices.map { plainValue(at: $0) ?? NSNull() }
    }

    /// The fragment of a column; empty for null, MISSING, and an index out of range.
    public subscript(index: Int) -> Fragment {
        row.indices.contains(index) ? fragment(at: index) : Fragment(.nowhere)
    }

    // MARK: By name

    /// Returns the value: `String`, `NSNumber`, `Blob` or a container; `nil` for null and MISSING.
    public func value(forKey key: String) -> Any? {
        columns.index(of: key).flatMap { object(at: $0) }
    }

    /// Returns the string, or `nil` if the value is not a string.
    public func string(forKey key: String) -> String? { value(key).string }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public func number(forKey key: String) -> NSNumber? { value(key).number }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int(forKey key: String) -> Int { Int(clamping: value(key).int64) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int64(forKey key: String) -> Int64 { value(key).int64 }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public func float(forKey key: String) -> Float { Float(value(key).double) }

    /// Returns the number, 1 for true, otherwise 0.
    public func double(forKey key: String) -> Double { value(key).double }

    /// Returns false for MISSING, null, false and zero; otherwise true.
    public func boolean(forKey key: String) -> Bool { value(key).boolean }

    /// Returns the date that the string represents, or `nil`.
    public func date(forKey key: String) -> Date? { value(key).date }

    /// Returns the blob, or `nil` if the value is not a blob.
    public func blob(forKey key: String) -> Blob? { value(forKey: key) as? Blob }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(forKey key: String) -> ArrayObject? { value(forKey: key) as? ArrayObject }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(forKey key: String) -> DictionaryObject? {
        value(forKey: key) as? DictionaryObject
    }

    /// Whether the column exists and is not MISSING.
    public func contains(key: String) -> Bool {
        columns.index(of: key).map { row[$0] != .missing } ?? false
    }

    /// Returns the columns as plain collections, without MISSING ones, with `NSNull` for null.
    public func toDictionary() -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for (index, title) in columns.titles.enumerated() {
            dictionary[title.text] = plainValue(at: index)
        }
        return dictionary
    }

    /// Returns the columns as JSON text, without MISSING ones, in the order of the query.
    public func toJSON() -> String {
        var text = "{"
        for index in row.indices {
            guard let value = jsonText(at: index) else { continue }
            if text.utf8.count > 1 { text += "," }
            text += columns.members[index]
            text += value
        }
        text += "}"
        return text
    }

    /// The fragment of a column; empty for null, MISSING, and an unknown name.
    public subscript(key: String) -> Fragment {
        columns.index(of: key).map { fragment(at: $0) } ?? Fragment(.nowhere)
    }

    /// Returns an iterator over the names of the columns.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    // MARK: Inside

    /// The value of a column as the store returned it.
    func stored(at index: Int) -> QueryValue { row[index] }

    /// The value of a column as documents store it; `nil` for MISSING.
    func json(at index: Int) -> JSON? {
        guard case .binary(let bytes) = row[index] else { return row[index].json }
        return .object(Self.blob(bytes).metadataObject())
    }

    private func writableJSON(at index: Int) -> JSON? {
        if case .binary = row[index] { json(at: index) } else { row[index].writableJSON }
    }

    /// The canonical text of a column; `nil` for MISSING.
    ///
    /// Text that is canonical already is passed on as it is.
    private func jsonText(at index: Int) -> String? {
        if case .container(let bytes) = row[index],
            let summary = try? JSONScanner.validate(bytes.span), summary.isCanonical
        {
            return String(decoding: bytes, as: UTF8.self)
        }
        return writableJSON(at: index)?.canonicalText
    }

    private func value(_ index: Int) -> Value? {
        switch row[index] {
        case .binary(let bytes): .blob(Self.blob(bytes))
        default: row[index].json.map { .json($0) }
        }
    }

    private func value(_ key: String) -> Value? { columns.index(of: key).flatMap { value($0) } }

    private func object(at index: Int) -> Any? {
        switch row[index] {
        case .missing, .null: nil
        case .container, .binary:
            handedOut.object(at: index) {
                (value(index)?.object(in: database) ?? NSNull()) as AnyObject
            }
        default: value(index)?.object(in: database)
        }
    }

    private func plainValue(at index: Int) -> Any? {
        if case .binary = row[index] { return object(at: index) }
        if case .container(let bytes) = row[index], let plain = plainDictionary(bytes) {
            return plain
        }
        return row[index].json?.plainValue(in: database)
    }

    /// The members of an object straight from its text; `nil` if that needs a parsed tree, and for an array.
    private func plainDictionary(_ bytes: [UInt8]) -> [String: Any]? {
        var shapes = database.shapes.take()
        defer { database.shapes.giveBack(shapes) }
        return try? JSON.plainDictionary(
            parsing: bytes.span,
            limits: StorageLimits.bodyText,
            shapes: &shapes,
            form: { [database] in $0.plainValue(in: database) }
        )
    }

    private func fragment(at index: Int) -> Fragment {
        guard let value = value(index), row[index] != .null else { return Fragment(.nowhere) }
        return Fragment(.element(of: ArrayObject(Elements([value], in: database)), 0))
    }

    private func checked(_ index: Int) -> Int {
        guard row.indices.contains(index) else {
            stopForMisuse("Column \(index) is outside 0..<\(count)")
        }
        return index
    }

    private static func blob(_ bytes: [UInt8]) -> Blob {
        Blob(contentType: "application/octet-stream", data: Data(bytes))
    }
}

/// The columns that all rows of a result share.
final class ResultColumns: Sendable {
    let titles: [ExactText]
    /// The names as the beginnings of members in JSON: `"name":`.
    let members: [String]
    private let indices: [ExactText: Int]

    init(_ titles: [ExactText]) {
        self.titles = titles
        members = titles.map { JSON.string($0.text).canonicalText + ":" }
        indices = Dictionary(
            titles.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func index(of key: String) -> Int? { indices[ExactText(key)] }
}

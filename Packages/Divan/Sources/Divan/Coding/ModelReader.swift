@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import Foundation

/// Decodes a model from the members of a document, or from the columns of a row.
///
/// One object for each value that decodes itself; strings, numbers, dates and other leaves are read directly from the
/// parsed text. Confined to the thread that decodes.
final class ModelReader: Decoder {
    /// What is decoded.
    enum Source {
        case json(JSON)
        case row(Row)
    }

    /// What all readers of one model share.
    final class Context {
        let contents: BlobContents
        /// The document's ID; `nil` for rows.
        let documentID: String?
        /// Whether a key `id` at the top always means the document's ID.
        let isIdentified: Bool

        init(_ contents: BlobContents, documentID: String?, isIdentified: Bool) {
            self.contents = contents
            self.documentID = documentID
            self.isIdentified = isIdentified
        }
    }

    let source: Source
    let context: Context
    let path: CodingPath?
    /// Notes which keys the model reads; `nil` if nobody asks.
    let notes: ReadKeys?

    init(_ source: Source, _ context: Context, _ path: CodingPath? = nil, _ notes: ReadKeys?) {
        self.source = source
        self.context = context
        self.path = path
        self.notes = notes
    }

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the body of a document.
    ///
    /// - Throws: `decodingFailed`.
    static func read<Model: Decodable>(
        _ type: Model.Type,
        _ body: [UInt8],
        id: String,
        contents: BlobContents,
        notes: ReadKeys? = nil
    ) throws -> Model {
        do {
            let json = try JSON(parsing: body, limits: StorageLimits.bodyText)
            let context = Context(
                contents,
                documentID: id,
                isIdentified: type is any Identifiable.Type
            )
            return try Model(from: ModelReader(.json(json), context, nil, notes))
        } catch {
            throw failure(error, type, place: "document \(id)")
        }
    }

    /// Decodes the only column of a row, the body of a document.
    ///
    /// - Throws: `decodingFailed`.
    static func read<Model: Decodable>(
        _ type: Model.Type,
        _ body: [UInt8],
        contents: BlobContents
    ) throws -> Model {
        do {
            let json = try JSON(parsing: body, limits: StorageLimits.bodyText)
            let context = Context(contents, documentID: nil, isIdentified: false)
            return try Model(from: ModelReader(.json(json), context, nil, nil))
        } catch {
            throw failure(error, type, place: "row")
        }
    }

    /// Decodes a row.
    ///
    /// - Throws: `decodingFailed`.
    static func read<Model: Decodable>(_ type: Model.Type, _ row: Row) throws -> Model {
        do {
            let context = Context(row.columns.contents, documentID: nil, isIdentified: false)
            return try Model(from: ModelReader(.row(row), context, nil, nil))
        } catch {
            throw failure(error, type, place: "row")
        }
    }

    /// Decodes one value, such as the only column of a row.
    ///
    /// - Throws: `decodingFailed`.
    static func read<Model: Decodable>(
        _ type: Model.Type,
        value json: JSON,
        _ contents: BlobContents,
        place: @autoclosure () -> String
    ) throws -> Model {
        do {
            let context = Context(contents, documentID: nil, isIdentified: false)
            return try ModelReader(.json(json), context, nil, nil).decode(type, json)
        } catch {
            throw failure(error, type, place: place())
        }
    }

    private static func failure(_ error: any Error, _ type: Any.Type, place: String) -> DivanError {
        if let error = error as? DivanError, error.code != .decodingFailed { return error }
        let problem = DecodingProblem(error)
        return DivanError(
            .decodingFailed,
            place: place,
            problem: "it does not match the type \(type) (\(problem))",
            remedy: problem.remedy,
            underlying: error
        )
    }

    /// The value, for types that read a single one.
    var json: JSON {
        switch source {
        case .json(let json): json
        case .row(let row): row.onlyValue?.json ?? .object(row.members)
        }
    }

    /// The blob here, if the value is one.
    var blob: Blob? {
        guard case .object(let members) = json else { return nil }
        return Blob(members, context.contents)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch source {
        case .row(let row):
            return KeyedDecodingContainer(KeyedReader<Key>(self, .row(row)))
        case .json(.object(let members)):
            return KeyedDecodingContainer(KeyedReader<Key>(self, .object(members)))
        case .json: throw mismatch([String: Any].self, json, path)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch([Any].self, json, path) }
        return ElementReader(self, elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleReader(reader: self) }

    func nested(_ json: JSON, _ key: any CodingKey) -> ModelReader {
        ModelReader(.json(json), context, CodingPath(key, path), notes?.child(key.stringValue))
    }

    func mismatch(_ type: Any.Type, _ json: JSON, _ path: CodingPath?) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: path?.keys ?? [],
                debugDescription: "expected \(type), found \(json.kind.rawValue)"
            )
        )
    }

    // MARK: Leaves

    /// Decodes a value that is here.
    func decode<Value: Decodable>(_ type: Value.Type, _ json: JSON) throws -> Value {
        guard let leaf = try leaf(type, json) else { return try Value(from: self) }
        guard let value = leaf as? Value else { throw mismatch(type, json, path) }
        return value
    }

    /// The value of a type that is stored directly; `nil` for types that decode themselves.
    ///
    /// - Throws: `DecodingError` if the value is of another type; `DivanError` if a blob has no content.
    private func leaf<Value: Decodable>(_ type: Value.Type, _ json: JSON) throws -> Any? {
        let found: Any?
        switch type {
        case is String.Type: found = json.string
        case is Bool.Type: found = json.boolean
        case is Int.Type: found = json.integer(Int.self)
        case is Double.Type: found = json.double
        case is Float.Type: found = json.double.map { Float($0) }
        case is Date.Type: found = json.string.flatMap { Date(documentText: $0) }
        case is Decimal.Type: found = json.decimal
        case is URL.Type: found = json.string.flatMap { URL(string: $0) }
        case is Data.Type: found = try data(json)
        case is Blob.Type: found = json.object.flatMap { Blob($0, context.contents) }
        case let integer as any FixedWidthInteger.Type: found = json.integer(integer)
        case is DocumentValue.Type: found = DocumentValue(json, context.contents)
        default: return nil
        }
        guard let found else { throw mismatch(type, json, path) }
        return found
    }

    private func data(_ json: JSON) throws -> Data? {
        try json.object.flatMap { Blob($0, context.contents) }?.data()
    }
}

extension JSON {
    /// The boolean; the numbers 0 and 1 count, as in results of queries on other platforms.
    var boolean: Bool? {
        switch self {
        case .bool(let bool): bool
        case .int(0): false
        case .int(1): true
        default: nil
        }
    }
}

/// A path of coding keys, created without copying the keys above.
final class CodingPath {
    private let key: any CodingKey
    private let above: CodingPath?

    init(_ key: any CodingKey, _ above: CodingPath?) {
        self.key = key
        self.above = above
    }

    /// The path of a key below another one; the latter if there is no key.
    static func path(to key: (any CodingKey)?, _ above: CodingPath?) -> CodingPath? {
        guard let key else { return above }
        return CodingPath(key, above)
    }

    var keys: [any CodingKey] { (above?.keys ?? []) + [key] }
}

/// The position of an element as a coding key.
struct ElementKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "\(intValue ?? 0)" }

    init(_ index: Int) { intValue = index }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        intValue = index
    }
}

/// The key under which a class writes its superclass's part: the same as in Swift's own encoders.
struct SuperclassKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(intValue: Int) { nil }
    init?(stringValue: String) { guard stringValue == "super" else { return nil } }
}

/// A decoding error as one short phrase.
private struct DecodingProblem: CustomStringConvertible {
    let description: String
    private(set) var remedy = "make the property optional, or read it with init(from:)"

    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            description = "no property \(Self.path(context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context):
            description = "no value at \(Self.path(context.codingPath))"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            let problem = context.debugDescription
            let sentence = problem.hasSuffix(".") ? problem.dropLast() : problem[...]
            description = "\(Self.path(context.codingPath)): \(sentence)"
            remedy = "correct the document or the type, or keep the document in another collection"
        default: description = String(describing: error)
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the document" : keys.map(\.stringValue).joined(separator: ".")
    }
}

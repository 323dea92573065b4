internal import DivanDatabase
internal import DivanJSON
internal import Foundation

/// A value as a model wrote it; objects and arrays can still be filled.
enum Written {
    case json(JSON)
    case object(WrittenObject)
    case array(WrittenArray)
    /// What another writer produces, for `superEncoder()`.
    case later(ModelWriter)

    var json: JSON {
        switch self {
        case .json(let json): json
        case .object(let object): .object(object.json)
        case .array(let array): .array(array.elements.map(\.json))
        case .later(let writer): writer.value?.json ?? .object([:])
        }
    }
}

/// The members that a model writes.
final class WrittenObject {
    private(set) var members: [(key: String, value: Written)] = []
    private var absent: [String] = []
    /// Whether it is a dictionary, which knows every key.
    let isDictionary: Bool

    init(isDictionary: Bool) {
        self.isDictionary = isDictionary
    }

    func set(_ value: Written, _ key: String) { members.append((key, value)) }

    /// Notes a property that is `nil`.
    func setAbsent(_ key: String) { absent.append(key) }

    func isKnownAbsent(_ key: String) -> Bool { absent.contains(key) }

    func member(_ key: String) -> Written? { members.last { $0.key == key }?.value }

    func remove(_ key: String) { members.removeAll { $0.key == key } }

    var json: JSONObject {
        var unordered = UnorderedMembers(minimumCapacity: members.count)
        for (key, value) in members { unordered.append(value.json, forKey: key) }
        return JSONObject(unordered)
    }
}

/// The elements that a model writes.
final class WrittenArray {
    var elements: [Written] = []
}

/// Encodes a model into the members of a document.
///
/// Dates become ISO 8601 strings, `Data` becomes a blob, and properties that are `nil` are left out. Confined to the
/// thread that encodes.
final class ModelWriter: Encoder {
    /// What all writers of one model share.
    final class Context {
        var contents = BlobContents()
    }

    let context: Context
    let path: CodingPath?
    private let isDictionary: Bool
    private(set) var value: Written?

    init(_ context: Context, _ path: CodingPath?, isDictionary: Bool) {
        self.context = context
        self.path = path
        self.isDictionary = isDictionary
    }

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// A model as it was encoded.
    struct Output {
        let object: WrittenObject
        let contents: BlobContents

        var members: JSONObject { object.json }
    }

    /// Encodes a model.
    ///
    /// - Throws: `encodingFailed` if it cannot be encoded, or is not encoded as an object.
    static func write(_ model: some Encodable, place: String) throws -> Output {
        let context = Context()
        let writer = ModelWriter(context, nil, isDictionary: model is any StringKeyed)
        do {
            try model.encode(to: writer)
        } catch {
            throw DivanError(
                .encodingFailed,
                place: place,
                problem: "\(type(of: model)) cannot be encoded (\(error))",
                underlying: error
            )
        }
        switch writer.value {
        case .object(let object): return Output(object: object, contents: context.contents)
        case nil:
            return Output(object: WrittenObject(isDictionary: false), contents: context.contents)
        default:
            throw DivanError(
                .encodingFailed,
                place: place,
                problem: "\(type(of: model)) is not encoded as an object",
                remedy: "put it into a property of a struct"
            )
        }
    }

    /// Encodes a single value, such as a parameter of a query.
    ///
    /// - Throws: Errors of the value.
    static func json(of value: some Encodable) throws -> JSON {
        let writer = ModelWriter(Context(), nil, isDictionary: false)
        return try writer.written(value, nil).json
    }

    /// Encodes a value of a document, with its blobs.
    ///
    /// - Throws: `encodingFailed`.
    static func value(_ value: some Encodable) throws -> (json: JSON, contents: BlobContents) {
        let writer = ModelWriter(Context(), nil, isDictionary: false)
        do {
            let json = try writer.written(value, nil).json
            // Refuses NaN and infinity, which no document can have.
            _ = try json.canonicalBytes(limits: StorageLimits.bodyText)
            return (json, writer.context.contents)
        } catch {
            throw DivanError(
                .encodingFailed,
                problem: "\(type(of: value)) cannot be encoded (\(error))",
                underlying: error
            )
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object(let object) = value {
            return KeyedEncodingContainer(KeyedWriter<Key>(self, object))
        }
        let object = WrittenObject(isDictionary: isDictionary)
        value = .object(object)
        return KeyedEncodingContainer(KeyedWriter<Key>(self, object))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array(let array) = value { return ElementWriter(writer: self, array: array) }
        let array = WrittenArray()
        value = .array(array)
        return ElementWriter(writer: self, array: array)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleWriter(writer: self) }

    func set(_ written: Written) { value = written }

    func set(_ blob: Blob) {
        context.contents.adopt(blob)
        value = .json(.object(blob.metadata))
    }

    /// What a value becomes in the document.
    func written<Value: Encodable>(_ value: Value, _ key: (any CodingKey)?) throws -> Written {
        if let leaf = try leaf(value) { return .json(leaf) }
        let writer = ModelWriter(
            context,
            CodingPath.path(to: key, path),
            isDictionary: value is any StringKeyed
        )
        try value.encode(to: writer)
        guard let written = writer.value else {
            return .object(WrittenObject(isDictionary: false))
        }
        return written
    }

    /// The value of a type that is stored directly; `nil` for types that encode themselves.
    private func leaf<Value: Encodable>(_ value: Value) throws -> JSON? {
        switch Value.self {
        case is Date.Type: return try date(value)
        case is Data.Type:
            guard let data = value as? Data else { return nil }
            let blob = Blob(data)
            context.contents.adopt(blob)
            return .object(blob.metadata)
        case is Blob.Type:
            guard let blob = value as? Blob else { return nil }
            context.contents.adopt(blob)
            return .object(blob.metadata)
        case is URL.Type: return (value as? URL).map { .string($0.absoluteString) }
        case is Decimal.Type: return (value as? Decimal)?.documentValue.json
        case is DocumentValue.Type:
            guard let value = value as? DocumentValue else { return nil }
            context.contents.adopt(value.contents)
            return value.json
        default: return nil
        }
    }

    private func date(_ value: Any) throws -> JSON? {
        guard let date = value as? Date else { return nil }
        guard let text = ISO8601.text(secondsSince1970: date.timeIntervalSince1970) else {
            throw EncodingError.invalidValue(
                date,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the date is not in the years 0 to 9999"
                )
            )
        }
        return .string(text)
    }
}

/// A dictionary with strings as keys: it is encoded as an object whose keys are data.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

extension DocumentValue: Codable {
    /// Decodes any value from a document of this module.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` with any other decoder.
    public init(from decoder: any Decoder) throws {
        guard let reader = decoder as? ModelReader else {
            throw DivanError(
                .decodingFailed,
                problem: "a DocumentValue can only be decoded from a document",
                remedy: "use DocumentCollection.get(_:as:)"
            )
        }
        self.init(reader.json, reader.context.contents)
    }

    /// Encodes any value into a document of this module.
    ///
    /// - Throws: ``DivanError/Code/encodingFailed`` with any other encoder.
    public func encode(to encoder: any Encoder) throws {
        guard let writer = encoder as? ModelWriter else {
            throw DivanError(
                .encodingFailed,
                problem: "a DocumentValue can only be encoded into a document",
                remedy: "use DocumentCollection.save(_:)"
            )
        }
        writer.context.contents.adopt(contents)
        writer.set(.json(json))
    }
}

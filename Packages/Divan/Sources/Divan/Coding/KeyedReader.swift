internal import DivanJSON

/// Reads the members of an object, or the columns of a row, by the keys of a model.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    enum Members {
        case object(JSONObject)
        case row(Row)
    }

    private let reader: ModelReader
    private let members: Members
    /// The document's ID, under the key `id`; `nil` unless this is the top of a document.
    private let id: JSON?
    private let isIdentified: Bool

    init(_ reader: ModelReader, _ members: Members) {
        self.reader = reader
        self.members = members
        let isTop = reader.path == nil
        id = isTop ? reader.context.documentID.map { .string($0) } : nil
        isIdentified = isTop && reader.context.isIdentified
    }

    var codingPath: [any CodingKey] { reader.codingPath }

    var allKeys: [Key] {
        reader.notes?.noteAll()
        let names =
            switch members {
            case .object(let object): object.keys
            case .row(let row): row.members.keys
            }
        return names.compactMap { Key(stringValue: $0) }
    }

    /// The value of a key; `nil` if it does not exist.
    private func find(_ key: Key) -> JSON? {
        let name = key.stringValue
        reader.notes?.note(name)
        let isID = id != nil && name == "id"
        if isID, isIdentified { return id }
        let value =
            switch members {
            case .object(let object): object[name]
            case .row(let row): row.json(name)
            }
        return value ?? (isID ? id : nil)
    }

    private func value(_ key: Key) throws -> JSON {
        guard let json = find(key) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "no property \(key.stringValue)"
                )
            )
        }
        return json
    }

    private func required<Value>(_ value: Value?, _ json: JSON, _ key: Key) throws -> Value {
        guard let value else {
            throw reader.mismatch(Value.self, json, CodingPath(key, reader.path))
        }
        return value
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, try value(key), key)
    }

    private func decode<T: Decodable>(_ type: T.Type, _ json: JSON, _ key: Key) throws -> T {
        if let integer = type as? any FixedWidthInteger.Type, isID(key), let text = json.string {
            // A model with a number as its ID.
            return try required(integer.init(text) as? T, json, key)
        }
        return try reader.nested(json, key).decode(type, json)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let json = find(key), !json.isNull else { return nil }
        return try decode(type, json, key)
    }

    private func isID(_ key: Key) -> Bool { id != nil && key.stringValue == "id" }

    // MARK: Leaves, without a reader of their own

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let json = try value(key)
        return try required(json.string, json, key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let json = try value(key)
        return try required(json.boolean, json, key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let json = try value(key)
        return try required(json.double, json, key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let json = try value(key)
        let text = isID(key) ? json.string : nil
        return try required(text.flatMap { Int($0) } ?? json.integer(type), json, key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let json = find(key), !json.isNull else { return nil }
        return try required(json.string, json, key)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let json = find(key), !json.isNull else { return nil }
        return try required(json.boolean, json, key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let json = find(key), !json.isNull else { return nil }
        return try required(json.double, json, key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let json = find(key), !json.isNull else { return nil }
        return try required(json.integer(type), json, key)
    }

    // MARK: Containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try reader.nested(value(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try reader.nested(value(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        reader.notes?.note("super")
        guard case .object(let object) = members, let json = object["super"] else {
            throw DecodingError.keyNotFound(
                SuperclassKey(),
                DecodingError.Context(codingPath: codingPath, debugDescription: "no property super")
            )
        }
        return reader.nested(json, SuperclassKey())
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { reader.nested(try value(key), key) }
}

/// Reads the elements of an array.
struct ElementReader: UnkeyedDecodingContainer {
    private let reader: ModelReader
    private let elements: [JSON]
    private(set) var currentIndex = 0

    init(_ reader: ModelReader, _ elements: [JSON]) {
        self.reader = reader
        self.elements = elements
        reader.notes?.noteAll()
    }

    var codingPath: [any CodingKey] { reader.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func current() throws -> JSON {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the array has \(elements.count) elements"
                )
            )
        }
        return elements[currentIndex]
    }

    /// The reader of the current element, before moving to the next one.
    private mutating func advance<Output>(
        _ body: (ModelReader, JSON) throws -> Output
    ) throws
        -> Output
    {
        let json = try current()
        let output = try body(reader.nested(json, ElementKey(currentIndex)), json)
        currentIndex += 1
        return output
    }

    mutating func decodeNil() throws -> Bool {
        guard try current().isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try advance { try $0.decode(type, $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try advance { reader, _ in try reader.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advance { reader, _ in try reader.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try advance { reader, _ in reader } }
}

/// Reads a single value.
struct SingleReader: SingleValueDecodingContainer {
    let reader: ModelReader

    var codingPath: [any CodingKey] { reader.codingPath }
    func decodeNil() -> Bool { reader.json.isNull }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try reader.decode(type, reader.json) }
}

import DivanJSON
import Foundation

/// Creates a model from the members of a document, or from the columns of a row.
final class ModelDecoder: Decoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate let json: JSON
    private let origin: Origin
    /// Shared by all decoders of one model.
    private let found: Found
    /// Members that have not been read yet; `nil` until the first is read.
    private var unasked: JSONObject?
    /// The decoders of nested objects, so that repeated reads of one key add up.
    private var inner: [ExactText: ModelDecoder] = [:]
    /// A blob of which the model took only the content.
    private var emptied: JSONObject?

    /// What was found while decoding a document.
    private final class Found {
        var documentIDs: [DocumentID] = []
    }

    /// Where the members come from.
    private enum Origin {
        case document(Document)
        case row(Database)

        var database: Database? {
            switch self {
            case .document(let document): document.collection?.database
            case .row(let database): database
            }
        }
    }

    private init(
        _ json: JSON,
        of origin: Origin,
        at codingPath: [any CodingKey],
        found: Found
    ) {
        self.json = json
        self.origin = origin
        self.codingPath = codingPath
        self.found = found
    }

    /// Decodes a model; its `DocumentID` remembers what the model did not read.
    ///
    /// - Throws: `CBLError.decodingError`, with Swift's own error as cause; `invalidParameter` for a
    ///   type without a `DocumentID`.
    static func decode<Model: Decodable>(
        _ type: Model.Type,
        from document: Document
    ) throws
        -> Model
    {
        let (model, _, found) = try decodeNoting(type, from: document)
        guard !found.documentIDs.isEmpty || !DocumentID.all(in: model).isEmpty else {
            throw NSError(
                CBLError.invalidParameter,
                "\(type) has no @DocumentID property; add one, or read a TypedDocument"
            )
        }
        return model
    }

    /// Decodes a model, and also returns what it did not read.
    ///
    /// - Throws: `CBLError.decodingError`, with Swift's own error as cause.
    static func decodeKnowing<Model: Decodable>(
        _ type: Model.Type,
        from document: Document
    ) throws -> (model: Model, unknown: UnknownMembers) {
        let (model, unknown, _) = try decodeNoting(type, from: document)
        return (model, unknown)
    }

    private static func decodeNoting<Model: Decodable>(
        _ type: Model.Type,
        from document: Document
    ) throws -> (Model, UnknownMembers, Found) {
        let members = document.root.members.metadataObject()
        let found = Found()
        let decoder = ModelDecoder(.object(members), of: .document(document), at: [], found: found)
        do {
            let model = try Model(from: decoder)
            let unknown = decoder.unknown
            let own = DocumentID.all(in: model)
            if own.count == 1, !found.documentIDs.contains(where: { $0 === own[0] }) {
                own[0].adopt(document)
                found.documentIDs += own
            }
            for id in found.documentIDs { id.unknown = unknown }
            return (model, unknown, found)
        } catch {
            throw NSError(
                CBLError.decodingError,
                "document \(document.id) cannot be decoded as \(Model.self): \(error)",
                cause: error
            )
        }
    }

    /// Decodes a row; a `DocumentID` in it is a column like any other.
    ///
    /// - Throws: `DecodingError`; what the type throws.
    static func decode<Model: Decodable>(
        _ type: Model.Type,
        fromRow members: JSONObject,
        in database: Database
    ) throws -> Model {
        try ModelDecoder(.object(members), of: .row(database), at: [], found: Found()).decode(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw mismatch([String: Any].self) }
        if unasked == nil { unasked = members }
        return KeyedDecodingContainer(KeyedModelReader(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch([Any].self) }
        return UnkeyedModelReader(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleModelReader(decoder: self)
    }

    fileprivate func nested(_ json: JSON, at key: any CodingKey) -> ModelDecoder {
        ModelDecoder(json, of: origin, at: codingPath + [key], found: found)
    }

    /// The decoder of a member; for an object always the same one.
    fileprivate func member(_ json: JSON, at key: any CodingKey) -> ModelDecoder {
        guard case .object = json else { return nested(json, at: key) }
        let name = ExactText(key.stringValue)
        if let known = inner[name] { return known }
        let decoder = nested(json, at: key)
        inner[name] = decoder
        return decoder
    }

    /// Notes that the model knows this key.
    fileprivate func note(_ key: any CodingKey) {
        unasked?[key.stringValue] = nil
    }

    /// Notes that the model reads every key.
    fileprivate func noteAllKeys() {
        unasked = [:]
    }

    /// The ID of the model itself; `nil` for rows.
    fileprivate func documentID() -> DocumentID? {
        guard case .document(let document) = origin else { return nil }
        let id = DocumentID(of: document)
        found.documentIDs.append(id)
        return id
    }

    /// The members that were not read; none if the value was taken as a whole.
    private var unknown: UnknownMembers {
        UnknownMembers(
            unasked ?? [:],
            inner: inner.map { ($0.key.text, $0.value.unknown) },
            blob: emptied
        )
    }

    fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "expected \(type), found \(json.kind.rawValue)"
            )
        )
    }

    /// Decodes the value here.
    ///
    /// As a member or element, a boolean and the numbers 0 and 1 are interchangeable, as in an `NSNumber` on Apple's
    /// systems. A type that reads a single value gets its actual type: many try one type after another, and would write
    /// 1 back as `true`.
    fileprivate func decode<T: Decodable>(_ type: T.Type, asMember: Bool = true) throws -> T {
        let json = asMember ? json.meant(as: type) : json
        guard let leaf = leaf(type, of: json) else { return try T(from: self) }
        guard let value = leaf as? T else { throw mismatch(type) }
        return value
    }

    /// The value of a type that is stored directly; `nil` for types that decode themselves, and `NSNull` if the value
    /// is of another kind.
    private func leaf(_ type: any Decodable.Type, of json: JSON) -> Any? {
        switch type {
        case is String.Type: json.string ?? NSNull()
        case is Bool.Type: json.bool ?? NSNull()
        case is Double.Type: json.double ?? NSNull()
        case is Float.Type: json.float ?? NSNull()
        // Older versions wrote the parts of a decimal number, which it decodes itself.
        case is Decimal.Type where json.kind == .number: json.decimal ?? NSNull()
        case let integer as any FixedWidthInteger.Type: json.integer(integer) ?? NSNull()
        case is Date.Type: Value?.some(.json(json)).date ?? NSNull()
        case is URL.Type: json.string.flatMap { URL(string: $0) } ?? NSNull()
        case is Blob.Type: blob ?? NSNull()
        case is Encryptable.Type: Encryptable(standingFor: json) ?? NSNull()
        case is Data.Type: takeContent() ?? NSNull()
        case is DocumentID.Type: DocumentID(wrappedValue: json.string)
        default: nil
        }
    }

    private var blob: Blob? {
        guard case .object(let members) = json else { return nil }
        return members.blobDescription.map { Blob($0, in: origin.database) }
    }

    /// The content of the blob here; its other properties are remembered.
    private func takeContent() -> Data? {
        guard let content = blob?.content else { return nil }
        emptied = json.object
        return content
    }
}

private struct KeyedModelReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ModelDecoder
    let members: JSONObject
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] {
        decoder.noteAllKeys()
        return members.keys.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        decoder.note(key)
        return members.contains(key.stringValue)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).json.isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if type is DocumentID.Type, codingPath.leadsToSuperclass,
            let document = decoder.documentID(), let id = document as? T
        {
            return id
        }
        return try child(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try child(SuperKey()) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

    private func child(_ key: any CodingKey) throws -> ModelDecoder {
        decoder.note(key)
        guard let json = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the document has no key \(key.stringValue)"
                )
            )
        }
        return decoder.member(json, at: key)
    }
}

private struct UnkeyedModelReader: UnkeyedDecodingContainer {
    let decoder: ModelDecoder
    let elements: [JSON]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(decoder: ModelDecoder, elements: [JSON]) {
        self.decoder = decoder
        self.elements = elements
    }

    mutating func decodeNil() throws -> Bool {
        guard try child().json.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try advance { try $0.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try advance { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advance { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try advance { $0 } }

    private func child() throws -> ModelDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the array has \(elements.count) elements"
                )
            )
        }
        return decoder.nested(elements[currentIndex], at: IndexKey(currentIndex))
    }

    private mutating func advance<Result>(_ body: (ModelDecoder) throws -> Result) throws -> Result
    {
        let result = try body(child())
        currentIndex += 1
        return result
    }
}

private struct SingleModelReader: SingleValueDecodingContainer {
    let decoder: ModelDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.json.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.decode(type, asMember: false)
    }
}

// Swift's defaults refuse 128-bit integers unless a container implements them.
extension KeyedModelReader {
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try child(key).decode(type)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try child(key).decode(type)
    }
}

extension UnkeyedModelReader {
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try advance { try $0.decode(type) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try advance { try $0.decode(type) }
    }
}

extension SingleModelReader {
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.decode(type, asMember: false) }
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try decoder.decode(type, asMember: false)
    }
}

import DivanJSON
import Foundation

/// Turns a model into the members of a document.
///
/// Dates become strings, `Data` becomes a blob, and the model's `DocumentID` is set aside.
final class ModelEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// Shared by the encoders of one model.
    private let found: Found
    /// Puts what this encoder makes in its place; `nil` for those that are asked for their value.
    private let deposit: ((Value) -> Void)?
    private(set) var value: Value? {
        didSet { if let value { deposit?(value) } }
    }

    /// What was met on the way through a model.
    private final class Found {
        var documentIDs: [DocumentID] = []
    }

    private init(
        codingPath: [any CodingKey],
        found: Found,
        deposit: ((Value) -> Void)? = nil
    ) {
        self.codingPath = codingPath
        self.found = found
        self.deposit = deposit
    }

    /// Encodes a model.
    ///
    /// - Throws: `CBLError.encodingError`; `invalidParameter` unless it has one `DocumentID`.
    static func encode(_ model: some Encodable) throws -> (DocumentID, MutableDictionaryObject) {
        let encoder = ModelEncoder(codingPath: [], found: Found())
        do {
            try model.encode(to: encoder)
        } catch {
            throw NSError(
                CBLError.encodingError,
                "\(type(of: model)) cannot be encoded: \(error)",
                cause: error
            )
        }
        guard case .dictionary(let members) = encoder.value ?? .dictionary(.init()) else {
            throw NSError(
                CBLError.encodingError,
                "\(type(of: model)) encodes itself as no object; encode it with keys"
            )
        }
        guard let id = encoder.found.documentIDs.first, encoder.found.documentIDs.count == 1 else {
            throw NSError(
                CBLError.invalidParameter,
                "\(type(of: model)) has \(encoder.found.documentIDs.count) @DocumentID properties; "
                    + "give it exactly one"
            )
        }
        return (id, members)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .dictionary(let members) = value {
            return KeyedEncodingContainer(KeyedModelWriter(encoder: self, members: members))
        }
        let members = MutableDictionaryObject()
        value = .dictionary(members)
        return KeyedEncodingContainer(KeyedModelWriter(encoder: self, members: members))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array(let elements) = value {
            return UnkeyedModelWriter(encoder: self, elements: elements)
        }
        let elements = MutableArrayObject()
        value = .array(elements)
        return UnkeyedModelWriter(encoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleModelWriter(encoder: self)
    }

    fileprivate func nested(
        _ key: any CodingKey,
        deposit: ((Value) -> Void)? = nil
    ) -> ModelEncoder {
        ModelEncoder(codingPath: codingPath + [key], found: found, deposit: deposit)
    }

    fileprivate func set(_ value: Value) {
        self.value = value
    }

    /// The value of a member or element; `nil` for the model's own `DocumentID`.
    fileprivate func value(of encodable: some Encodable, at key: any CodingKey) throws -> Value? {
        if let id = encodable as? DocumentID, codingPath.leadsToSuperclass {
            found.documentIDs.append(id)
            return nil
        }
        if let leaf = Value(leaf: encodable) { return leaf }
        let encoder = nested(key)
        try encodable.encode(to: encoder)
        return encoder.value ?? .dictionary(MutableDictionaryObject())
    }
}

extension Value {
    /// The value of a type that is stored as it is; `nil` for types that encode themselves.
    fileprivate init?(leaf encodable: some Encodable) {
        switch encodable {
        case let text as String: self = .json(.string(text))
        case let bool as Bool: self = .json(.bool(bool))
        case let integer as any FixedWidthInteger: self = .json(JSON(integer))
        case let double as Double: self = .json(.double(double))
        case let float as Float: self = .json(JSON(float))
        case let date as Date: self = .json(.string(date.documentText))
        case let url as URL: self = .json(.string(url.absoluteString))
        case let blob as Blob: self = .blob(blob)
        case let data as Data:
            self = .blob(Blob(contentType: "application/octet-stream", data: data))
        default: return nil
        }
    }
}

private struct KeyedModelWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ModelEncoder
    let members: MutableDictionaryObject
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        members.members[key.stringValue] = .json(.null)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        guard let value = try encoder.value(of: value, at: key) else { return }
        members.members[key.stringValue] = value
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let child = MutableDictionaryObject()
        members.members[key.stringValue] = .dictionary(child)
        return KeyedEncodingContainer(
            KeyedModelWriter<NestedKey>(encoder: encoder.nested(key), members: child)
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let child = MutableArrayObject()
        members.members[key.stringValue] = .array(child)
        return UnkeyedModelWriter(encoder: encoder.nested(key), elements: child)
    }

    func superEncoder() -> any Encoder { superEncoder(at: SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

    private func superEncoder(at key: any CodingKey) -> any Encoder {
        encoder.nested(key) { [members] in members.members[key.stringValue] = $0 }
    }
}

private struct UnkeyedModelWriter: UnkeyedEncodingContainer {
    let encoder: ModelEncoder
    let elements: MutableArrayObject
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { elements.count }

    func encodeNil() {
        elements.addValue(nil)
    }

    func encode<T: Encodable>(_ value: T) throws {
        let value = try encoder.value(of: value, at: IndexKey(count))
        elements.elements.values.append(value ?? .json(.null))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let child = MutableDictionaryObject()
        let writer = KeyedModelWriter<NestedKey>(
            encoder: encoder.nested(IndexKey(count)),
            members: child
        )
        elements.addDictionary(child)
        return KeyedEncodingContainer(writer)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let child = MutableArrayObject()
        let writer = UnkeyedModelWriter(encoder: encoder.nested(IndexKey(count)), elements: child)
        elements.addArray(child)
        return writer
    }

    func superEncoder() -> any Encoder {
        let index = count
        elements.addValue(nil)
        return encoder.nested(IndexKey(index)) { [elements] in elements.elements.values[index] = $0
        }
    }
}

private struct SingleModelWriter: SingleValueEncodingContainer {
    let encoder: ModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        encoder.set(.json(.null))
    }

    func encode<T: Encodable>(_ value: T) throws {
        if let leaf = Value(leaf: value) {
            encoder.set(leaf)
        } else {
            try value.encode(to: encoder)
        }
    }
}

import DivanJSON
import Foundation

extension Value {
    /// The value of a type that is stored directly; `nil` for types that encode themselves.
    init?(leaf encodable: some Encodable) {
        if let blob = encodable.object(Blob.self) {
            self = .blob(blob)
            return
        }
        switch encodable {
        case let text as String: self = .json(.string(text))
        case let bool as Bool: self = .json(.bool(bool))
        case let integer as any FixedWidthInteger: self = .json(JSON(integer))
        case let double as Double: self = .json(.double(double))
        case let float as Float: self = .json(JSON(float))
        case let decimal as Decimal:
            // Not-a-number has no number in JSON, and encodes itself.
            guard let number = JSON(decimal) else { return nil }
            self = .json(number)
        case let date as Date: self.init(date)
        case let url as URL: self = .json(.string(url.absoluteString))
        case let encryptable as Encryptable: self.init(encryptable)
        case let data as Data: self.init(data)
        default: return nil
        }
    }
}

extension Encodable {
    /// This object, if it is one of `type`.
    ///
    /// On Linux a cast of a Swift container to a class converts the container first, at every level of it again.
    func object<Object: AnyObject>(_ type: Object.Type) -> Object? {
        Swift.type(of: self) is AnyClass ? self as? Object : nil
    }
}

struct KeyedModelWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
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

struct UnkeyedModelWriter: UnkeyedEncodingContainer {
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

struct SingleModelWriter: SingleValueEncodingContainer {
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

// `nil` is written as null, so that other readers see the key; Swift's default omits it.
extension KeyedModelWriter {
    private func encodeOptional(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        try encodeOptional(value, forKey: key)
    }
}

// Swift's defaults refuse 128-bit integers unless a container implements them.
extension KeyedModelWriter {
    func encode(_ value: Int128, forKey key: Key) {
        members.members[key.stringValue] = .json(JSON(value))
    }

    func encode(_ value: UInt128, forKey key: Key) {
        members.members[key.stringValue] = .json(JSON(value))
    }

    func encodeIfPresent(_ value: Int128?, forKey key: Key) {
        members.members[key.stringValue] = .json(value.map { JSON($0) } ?? .null)
    }

    func encodeIfPresent(_ value: UInt128?, forKey key: Key) {
        members.members[key.stringValue] = .json(value.map { JSON($0) } ?? .null)
    }
}

extension UnkeyedModelWriter {
    func encode(_ value: Int128) { elements.elements.values.append(.json(JSON(value))) }
    func encode(_ value: UInt128) { elements.elements.values.append(.json(JSON(value))) }
}

extension SingleModelWriter {
    func encode(_ value: Int128) { encoder.set(.json(JSON(value))) }
    func encode(_ value: UInt128) { encoder.set(.json(JSON(value))) }
}

internal import DivanJSON

/// Writes the members of an object.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let writer: ModelWriter
    private let object: WrittenObject

    init(_ writer: ModelWriter, _ object: WrittenObject) {
        self.writer = writer
        self.object = object
    }

    var codingPath: [any CodingKey] { writer.codingPath }

    private func set(_ json: JSON, _ key: Key) { object.set(.json(json), key.stringValue) }

    private func setOptional(_ json: JSON?, _ key: Key) {
        if let json { set(json, key) } else { object.setAbsent(key.stringValue) }
    }

    func encodeNil(forKey key: Key) { set(.null, key) }
    func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
    func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
    func encode(_ value: Int, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Double, forKey key: Key) { set(.double(value), key) }
    func encode(_ value: Float, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: Int8, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: Int16, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: Int32, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: Int64, forKey key: Key) { set(.int(value), key) }
    func encode(_ value: UInt, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: Int128, forKey key: Key) { set(JSON(value), key) }
    func encode(_ value: UInt128, forKey key: Key) { set(JSON(value), key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        object.set(try writer.written(value, key), key.stringValue)
    }

    // A property that is `nil` is left out, but known to the model.
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        setOptional(value.map { .string($0) }, key)
    }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        setOptional(value.map { .bool($0) }, key)
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) {
        setOptional(value.map { .double($0) }, key)
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) {
        setOptional(value.map { JSON($0) }, key)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.setAbsent(key.stringValue) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let child = ModelWriter(
            writer.context,
            CodingPath(key, writer.path),
            isDictionary: false
        )
        object.set(.later(child), key.stringValue)
        return child.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let child = ModelWriter(writer.context, CodingPath(key, writer.path), isDictionary: false)
        object.set(.later(child), key.stringValue)
        return child.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { superEncoder(at: SuperclassKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

    private func superEncoder(at key: any CodingKey) -> any Encoder {
        let child = ModelWriter(writer.context, CodingPath(key, writer.path), isDictionary: false)
        object.set(.later(child), key.stringValue)
        return child
    }
}

/// Writes the elements of an array.
struct ElementWriter: UnkeyedEncodingContainer {
    let writer: ModelWriter
    let array: WrittenArray

    var codingPath: [any CodingKey] { writer.codingPath }
    var count: Int { array.elements.count }

    func encodeNil() { array.elements.append(.json(.null)) }
    func encode(_ value: String) { array.elements.append(.json(.string(value))) }
    func encode(_ value: Bool) { array.elements.append(.json(.bool(value))) }
    func encode(_ value: Int) { array.elements.append(.json(JSON(value))) }
    func encode(_ value: Double) { array.elements.append(.json(.double(value))) }
    func encode(_ value: Float) { array.elements.append(.json(JSON(value))) }
    func encode(_ value: Int128) { array.elements.append(.json(JSON(value))) }
    func encode(_ value: UInt128) { array.elements.append(.json(JSON(value))) }

    func encode<T: Encodable>(_ value: T) throws {
        array.elements.append(try writer.written(value, ElementKey(count)))
    }

    private func child() -> ModelWriter {
        let child = ModelWriter(
            writer.context,
            CodingPath(ElementKey(count), writer.path),
            isDictionary: false
        )
        array.elements.append(.later(child))
        return child
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }
}

/// Writes a single value.
struct SingleWriter: SingleValueEncodingContainer {
    let writer: ModelWriter

    var codingPath: [any CodingKey] { writer.codingPath }
    func encodeNil() { writer.set(.json(.null)) }
    func encode(_ value: String) { writer.set(.json(.string(value))) }
    func encode(_ value: Bool) { writer.set(.json(.bool(value))) }
    func encode(_ value: Int) { writer.set(.json(JSON(value))) }
    func encode(_ value: Int8) { writer.set(.json(JSON(value))) }
    func encode(_ value: Int16) { writer.set(.json(JSON(value))) }
    func encode(_ value: Int32) { writer.set(.json(JSON(value))) }
    func encode(_ value: Int64) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt8) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt16) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt32) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt64) { writer.set(.json(JSON(value))) }
    func encode(_ value: Int128) { writer.set(.json(JSON(value))) }
    func encode(_ value: UInt128) { writer.set(.json(JSON(value))) }
    func encode(_ value: Double) { writer.set(.json(.double(value))) }
    func encode(_ value: Float) { writer.set(.json(JSON(value))) }
    func encode<T: Encodable>(_ value: T) throws { writer.set(try writer.written(value, nil)) }
}

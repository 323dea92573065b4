import DivanJSON
import DivanQuery
import Foundation

/// Decodes a model from a document that does not exist, and notes what the model reads.
///
/// It supplies a value for everything: the same for each type, except a different one at the place that is being tried.
/// A type that contains itself is decoded once inside itself; below that its arrays are empty and its optional
/// properties absent.
///
/// Confined to the thread that decodes.
final class ModelProbe: Decoder {
    /// A place in a document that a model reads.
    enum Place: Hashable, Sendable {
        /// The document's ID.
        case documentID
        /// A property of the body.
        case body(QueryPath)

        fileprivate func next(_ key: any CodingKey) -> Place {
            let above = if case .body(let path) = self { path.steps } else { [QueryPath.Step]() }
            let step =
                key.intValue.map { .item($0) } ?? QueryPath.Step.key(ExactText(key.stringValue))
            return .body(QueryPath(above + [step]))
        }
    }

    /// State shared by all decoders of one attempt.
    final class Record {
        /// The place with a different value.
        fileprivate let tried: Place?
        /// That value, for a number or date; `nil` for the usual different one.
        fileprivate let oddValue: Double?
        /// The places where values without members were requested, each with the value that it got.
        fileprivate(set) var leaves: [Place: Any] = [:]
        /// The types that were requested at a place.
        fileprivate(set) var types: [Place: [Any.Type]] = [:]
        /// The values with members that were decoded at a place.
        fileprivate(set) var values: [Place: Any] = [:]
        /// The innermost type that refused its sample values.
        fileprivate var refusing: Any.Type?

        fileprivate init(trying place: Place?, as oddValue: Double?) {
            tried = place
            self.oddValue = oddValue
        }
    }

    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let place: Place
    private let record: Record
    /// The enclosing types being decoded, outermost first.
    private let around: [Any.Type]

    private init(_ record: Record, at place: Place, _ path: [any CodingKey], in around: [Any.Type])
    {
        self.record = record
        self.place = place
        codingPath = path
        self.around = around
    }

    /// Decodes a model with a different value at `place`.
    static func model<Model: Decodable>(
        _ type: Model.Type,
        trying place: Place?,
        as oddValue: Double? = nil
    ) throws -> (model: Model, record: Record) {
        let record = Record(trying: place, as: oddValue)
        let probe = ModelProbe(record, at: .body(QueryPath()), [], in: [type])
        do {
            return (try Model(from: probe), record)
        } catch {
            throw NoSample(type: record.refusing ?? type)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedProbe(probe: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { UnkeyedProbe(probe: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleProbe(probe: self)
    }

    /// Whether one of the enclosing types occurs twice.
    fileprivate var isRecursive: Bool {
        let names = around.map { ObjectIdentifier($0) }
        return Set(names).count < names.count
    }

    fileprivate func nested(_ key: any CodingKey) -> ModelProbe {
        ModelProbe(record, at: place.next(key), codingPath + [key], in: around)
    }

    /// The value of a type at this place.
    fileprivate func value<T: Decodable>(_ type: T.Type) throws -> T {
        let isOwnID = type is DocumentID.Type && codingPath.dropLast().allSatisfy { $0 is SuperKey }
        let place = isOwnID ? .documentID : place
        record.types[place, default: []].append(isOwnID ? String.self : type)
        let isTried = place == record.tried
        let odd = isTried ? record.oddValue.flatMap { Self.leaf(type, odd: $0) } : nil
        if let leaf = odd ?? Self.leaf(type, isOther: isTried) {
            record.leaves[place] = (leaf as? DocumentID)?.wrappedValue ?? leaf
            guard let value = leaf as? T else { throw refusal(type) }
            return value
        }
        do {
            let value = try T(from: ModelProbe(record, at: place, codingPath, in: around + [type]))
            record.values[place] = value
            return value
        } catch {
            // Unchanged: the model may handle it.
            record.refusing = record.refusing ?? type
            throw error
        }
    }

    /// One of two values of a type that is stored as it is; `nil` for types that decode themselves.
    ///
    /// Strings are chosen so that trimming or changing case alters them, which reveals computed properties.
    private static func leaf(_ type: any Decodable.Type, isOther: Bool) -> Any? {
        switch type {
        case is String.Type: isOther ? " Ab" : " Cd"
        case is Bool.Type: isOther
        case is Double.Type: isOther ? 2.5 : 3.5
        case is Float.Type: Float(isOther ? 2.5 : 3.5)
        case let integer as any FixedWidthInteger.Type: integer.init(clamping: isOther ? 2 : 3)
        case is Date.Type: Date(timeIntervalSince1970: isOther ? 86_400 : 172_800)
        case is URL.Type: URL(filePath: isOther ? "/a" : "/b")
        case is UUID.Type:
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, isOther ? 1 : 2))
        case is Data.Type: Data([isOther ? 1 : 2])
        case is Blob.Type:
            Blob(contentType: "application/octet-stream", data: Data([isOther ? 1 : 2]))
        case is DocumentID.Type: DocumentID(wrappedValue: isOther ? "a" : "b")
        case let cases as any CaseIterable.Type: cases.one(isOther)
        default: nil
        }
    }

    private static func leaf(_ type: any Decodable.Type, odd value: Double) -> Any? {
        switch type {
        case is Double.Type: value
        case is Float.Type: Float(value)
        case let integer as any FixedWidthInteger.Type: integer.init(clamping: Int(value))
        case is Date.Type: Date(timeIntervalSince1970: value)
        default: nil
        }
    }

    /// A value of an optional property; its failure is not that of the model.
    fileprivate func optional<T>(_ value: () throws -> T) -> T? {
        let refusing = record.refusing
        guard let value = try? value() else {
            record.refusing = refusing
            return nil
        }
        return value
    }

    private func refusal(_ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(codingPath: codingPath, debugDescription: "no sample value")
        )
    }
}

/// A type that cannot be decoded from sample values, such as an enum whose cases are not known.
private struct NoSample: Error, CustomStringConvertible {
    let type: Any.Type

    var description: String { "\(type) refuses them; make \(type) CaseIterable if it is an enum" }
}

extension CaseIterable {
    /// The first case, or the second one if there are two.
    fileprivate static func one(_ isOther: Bool) -> Any? {
        let cases = allCases
        guard isOther, cases.count > 1 else { return cases.first }
        return cases[cases.index(after: cases.startIndex)]
    }
}

private struct KeyedProbe<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: ModelProbe
    var codingPath: [any CodingKey] { probe.codingPath }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try probe.nested(key).value(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        // A value of a type that cannot be tried is absent, and cannot be queried.
        guard !probe.isRecursive else { return nil }
        return probe.optional { try probe.nested(key).value(type) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try probe.nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try probe.nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { probe.nested(SuperKey()) }

    func superDecoder(forKey key: Key) throws -> any Decoder { probe.nested(key) }
}

private struct UnkeyedProbe: UnkeyedDecodingContainer {
    let probe: ModelProbe
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { probe.codingPath }
    var count: Int? { probe.isRecursive ? 0 : 1 }
    var isAtEnd: Bool { currentIndex >= (count ?? 0) }

    init(probe: ModelProbe) {
        self.probe = probe
    }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try advance().value(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try advance().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advance().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { advance() }

    private mutating func advance() -> ModelProbe {
        defer { currentIndex += 1 }
        return probe.nested(IndexKey(currentIndex))
    }
}

private struct SingleProbe: SingleValueDecodingContainer {
    let probe: ModelProbe
    var codingPath: [any CodingKey] { probe.codingPath }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try probe.value(type) }
}

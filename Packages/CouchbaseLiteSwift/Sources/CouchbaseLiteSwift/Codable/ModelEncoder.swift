import DivanJSON
import Foundation

/// Converts a model to the members of a document.
///
/// Dates become strings, `Data` becomes a blob, and the model's `DocumentID` is returned separately.
final class ModelEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// Shared by all encoders of one model.
    private let found: Found
    /// Stores this encoder's result in its place; `nil` for encoders whose value is requested.
    private let deposit: ((Value) -> Void)?
    private(set) var value: Value? {
        didSet { if let value { deposit?(value) } }
    }

    /// What was found while encoding a model.
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
    /// - Throws: `CBLError.encodingError`; `invalidParameter` unless it has one `DocumentID`, or its class has its own
    ///   in addition to those of its superclasses.
    static func encode(_ model: some Encodable) throws -> (DocumentID, MutableDictionaryObject) {
        let encoder = ModelEncoder(codingPath: [], found: Found())
        let members = try encoder.members(of: model)
        guard let id = Self.documentID(of: model, among: encoder.found.documentIDs) else {
            throw NSError(
                CBLError.invalidParameter,
                "\(type(of: model)) has \(encoder.found.documentIDs.count) @DocumentID properties; "
                    + "a model needs exactly one"
            )
        }
        return (id, members)
    }

    /// Encodes the content of a ``TypedDocument``.
    ///
    /// - Throws: `CBLError.encodingError`; `invalidParameter` for content that has a `DocumentID`.
    static func encode(content: some Encodable) throws -> MutableDictionaryObject {
        let encoder = ModelEncoder(codingPath: [], found: Found())
        let members = try encoder.members(of: content)
        guard encoder.found.documentIDs.isEmpty else {
            throw NSError(
                CBLError.invalidParameter,
                "\(type(of: content)) has a @DocumentID property; remove it, use TypedDocument.id"
            )
        }
        return members
    }

    /// Encodes a value as it would stand in a document.
    ///
    /// - Throws: `CBLError.encodingError`.
    static func encode(value: some Encodable) throws -> JSON {
        let encoder = ModelEncoder(codingPath: [], found: Found())
        do {
            guard let encoded = try encoder.value(of: value, at: IndexKey(0)) else { return .null }
            if let unstorable = encoded.unstorable() { throw unstorable }
            return Elements([encoded]).metadataArray().first ?? .null
        } catch {
            throw NSError(
                CBLError.encodingError,
                "\(type(of: value)) cannot be encoded: \(error)",
                cause: error
            )
        }
    }

    private func members(of model: some Encodable) throws -> MutableDictionaryObject {
        do {
            try model.encode(to: self)
        } catch {
            throw NSError(
                CBLError.encodingError,
                "\(type(of: model)) cannot be encoded: \(error)",
                cause: error
            )
        }
        guard case .dictionary(let members) = value ?? .dictionary(.init()) else {
            throw NSError(
                CBLError.encodingError,
                "\(type(of: model)) is not encoded as an object; use a keyed container"
            )
        }
        return members
    }

    /// The effective ID: the only one, or that of the most derived class that has any.
    private static func documentID(
        of model: some Encodable,
        among found: [DocumentID]
    ) -> DocumentID? {
        let own = DocumentID.all(in: model)
        if own.count == 1 { return own.first }
        return found.count == 1 ? found.first : nil
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

    func nested(
        _ key: any CodingKey,
        deposit: ((Value) -> Void)? = nil
    ) -> ModelEncoder {
        ModelEncoder(codingPath: codingPath + [key], found: found, deposit: deposit)
    }

    func set(_ value: Value) {
        self.value = value
    }

    /// The value of a member or element; `nil` for the model's own `DocumentID`.
    func value(of encodable: some Encodable, at key: any CodingKey) throws -> Value? {
        if let id = encodable.object(DocumentID.self), codingPath.leadsToSuperclass {
            found.documentIDs.append(id)
            return nil
        }
        if let leaf = Value(leaf: encodable) { return leaf }
        let encoder = nested(key)
        try encodable.encode(to: encoder)
        return encoder.value ?? .dictionary(MutableDictionaryObject())
    }
}

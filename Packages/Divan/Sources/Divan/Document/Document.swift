internal import DivanDatabase
internal import DivanJSON
internal import DivanRevisions
public import Foundation

/// A document: a JSON object with an ID, as a value.
///
/// Copies are independent, and changes are stored when you save the document. Properties are read and set by name:
///
/// ```swift
/// var chair = Document(id: "oslo", ["name": "Oslo", "price": 199])
/// chair.price = 149.5
/// chair["maker", "city"] = "Bergen"    // creates the object `maker`
/// chair.discount = nil                 // removes the property
/// chair = try chairs.save(chair)
/// let price: Double? = chair.price
/// ```
///
/// Use a subscript for names that a member of this type has, such as `doc["id"]`. Reading a property of a stored
/// document does not parse the others.
@dynamicMemberLookup
public struct Document: Sendable, Identifiable {
    /// The document's ID: 1 to 240 bytes, compared byte for byte.
    public let id: String
    /// The revision that was read or saved; `nil` for a document that is not stored yet.
    public internal(set) var revision: Revision?

    private var body: Body
    private var contents: BlobContents

    private enum Body: Sendable {
        /// As stored.
        case text([UInt8])
        case members(JSONObject)
    }

    /// Creates a document that is not stored yet.
    ///
    /// - Parameters:
    ///   - id: The ID; generated if omitted. An invalid one is rejected by the save.
    ///   - properties: The properties.
    public init(id: String? = nil, _ properties: [String: DocumentValue] = [:]) {
        self.id = id ?? Self.newID()
        let root = properties.documentValue
        body = .members(root.json.object ?? [:])
        contents = root.contents
    }

    /// Creates a document from JSON text.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the text is not a JSON object.
    public init(id: String? = nil, json: String) throws {
        self.init(id: id)
        let parsed = try DivanError.converting(place: "document \(self.id)") {
            try JSON(parsing: json, limits: StorageLimits.bodyText)
        }
        guard case .object(let members) = parsed else {
            throw DivanError(
                .decodingFailed,
                place: "document \(self.id)",
                problem: "the text is JSON, but not an object"
            )
        }
        body = .members(members)
    }

    /// Creates a document that is not stored yet, with a UUID as its ID.
    public init(id: UUID, _ properties: [String: DocumentValue] = [:]) {
        self.init(id: id.uuidString, properties)
    }

    /// Creates a document from a model: any value that is encoded as an object.
    ///
    /// - Parameters:
    ///   - id: The ID; if omitted, that of an `Identifiable` model, or a generated one.
    ///   - value: The model. As in a save, the `id` of an `Identifiable` model is not a property.
    /// - Throws: ``DivanError/Code/encodingFailed``.
    public init(id: String? = nil, encoding value: some Encodable) throws {
        let own = Self.documentID(of: value)
        self.init(id: id ?? own)
        let written = try ModelWriter.write(value, place: "document \(self.id)")
        // An ID that is not text stays a property.
        if own != nil { written.object.remove("id") }
        body = .members(written.members)
        contents = written.contents
    }

    /// Sets the properties of a model, and keeps those that its type does not have.
    ///
    /// Merges models in a conflict resolver, or changes a document before a save:
    ///
    /// ```swift
    /// var merged = conflict.remote
    /// try merged.apply(note)
    /// ```
    ///
    /// As in a save, properties that are `nil` are removed, and arrays and dictionaries are replaced. The ID of the
    /// document does not change.
    ///
    /// - Throws: ``DivanError/Code/encodingFailed``.
    public mutating func apply<Model: Codable>(_ model: Model) throws {
        let written = try ModelWriter.write(model, place: "document \(id)")
        if Self.documentID(of: model) != nil { written.object.remove("id") }
        written.object.keepUnknown(of: members) { keys in
            let (bytes, contents) = (storedBytes, contents)
            _ = try ModelReader.read(Model.self, bytes, id: id, contents: contents, notes: keys)
        }
        body = .members(written.members)
        contents.adopt(written.contents)
    }

    /// The ID under which a model is saved; `nil` for a model whose ID is not text.
    private static func documentID(of model: some Encodable) -> String? {
        guard let id = (model as? any Identifiable)?.id else { return nil }
        if let id = id as? UUID { return id.uuidString }
        if let raw = (id as? any RawRepresentable)?.rawValue as? String { return raw }
        return (id as? any LosslessStringConvertible).map { String($0) }
    }

    init(_ stored: StoredDocument, in database: OfficialDatabase?) {
        id = stored.documentID.text
        revision = Revision(stored.revisionID, sequence: stored.sequence)
        body = .text(stored.body)
        contents = BlobContents(database: database)
    }

    /// Creates a document from a text that was checked, such as that of a revision to be resolved.
    init(id: String, revision: Revision?, text: [UInt8], in database: OfficialDatabase?) {
        self.id = id
        self.revision = revision
        body = .text(text)
        contents = BlobContents(database: database)
    }

    private static func newID() -> String { "-" + UUID().uuidString.lowercased() }
}

// MARK: - Properties

extension Document {
    /// A property; `nil` if it does not exist.
    ///
    /// Setting `nil` removes it.
    public subscript(dynamicMember key: String) -> DocumentValue? {
        get { member(key) }
        set { setMember(key, newValue) }
    }

    /// A property as a type; `nil` if it does not exist or is of another type.
    ///
    /// Setting `nil` removes it.
    public subscript<Value: DocumentValueConvertible>(dynamicMember key: String) -> Value? {
        @inlinable get {
            guard let value = member(key) else { return nil }
            return Value(documentValue: value)
        }
        set { setMember(key, newValue?.documentValue) }
    }

    /// A property, or one in nested objects under a path of keys; `nil` if it does not exist.
    ///
    /// Setting a value creates missing objects on the way, and setting `nil` removes the property.
    public subscript(keys: String...) -> DocumentValue? {
        get { member(keys[...]) }
        set { setMember(keys[...], newValue) }
    }

    /// A property under a path of keys, as a type.
    public subscript<Value: DocumentValueConvertible>(keys: String...) -> Value? {
        @inlinable get {
            guard let value = member(keys[...]) else { return nil }
            return Value(documentValue: value)
        }
        set { setMember(keys[...], newValue?.documentValue) }
    }

    /// The names of all properties, in the order of their bytes.
    public var keys: [String] { members.keys }

    /// All properties as one value.
    public var properties: DocumentValue {
        get { DocumentValue(.object(members), contents) }
        set {
            body = .members(newValue.json.object ?? [:])
            contents.adopt(newValue.contents)
        }
    }

    /// The properties as JSON text, with the metadata of blobs.
    public var json: String {
        switch body {
        case .text(let text): String(decoding: text, as: UTF8.self)
        case .members(let members): DocumentValue.text(of: .object(members))
        }
    }

    /// Decodes the document as a type; a key `id` that is not among its properties is read as the document's ID.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the document does not match the type.
    public func decode<Model: Decodable>(
        as type: Model.Type = Model.self
    ) throws -> Model {
        try ModelReader.read(type, storedBytes, id: id, contents: contents)
    }

    @usableFromInline
    func member(_ key: String) -> DocumentValue? {
        switch body {
        case .text(let text):
            guard let found = JSONText.value(of: key, in: text[...]) else { return nil }
            return DocumentValue(text: found, contents)
        case .members(let members):
            guard let found = members[key] else { return nil }
            return DocumentValue(found, contents)
        }
    }

    @usableFromInline
    func member(_ keys: ArraySlice<String>) -> DocumentValue? {
        guard let key = keys.first else { return properties }
        return member(key)?.member(keys.dropFirst())
    }

    private mutating func setMember(_ key: String, _ value: DocumentValue?) {
        var members = members
        body = .members([:])  // releases the only other reference: no copy below
        members[key] = value?.json
        body = .members(members)
        if let value { contents.adopt(value.contents) }
    }

    private mutating func setMember(_ keys: ArraySlice<String>, _ value: DocumentValue?) {
        body = .members(JSON.object(members).setting(keys, to: value?.json)?.object ?? [:])
        if let value { contents.adopt(value.contents) }
    }

    private var members: JSONObject {
        switch body {
        case .text(let text):
            (try? JSON(parsing: text, limits: StorageLimits.bodyText))?.object ?? [:]
        case .members(let members): members
        }
    }

    private var storedBytes: [UInt8] {
        switch body {
        case .text(let text): text
        case .members(let members):
            (try? JSON.object(members).canonicalBytes(limits: JSONLimits(depth: .max))) ?? []
        }
    }
}

// MARK: - Saving

extension Document {
    /// What a save stores.
    func written() throws -> WrittenBody {
        switch body {
        case .text(let text): return WrittenBody(text: text, contents: contents)
        case .members(let members):
            return try WrittenBody(members, contents, place: "document \(id)")
        }
    }
}

extension Document: Hashable, CustomStringConvertible {
    /// Whether both have the same ID and the same properties, whatever their revisions.
    public static func == (left: Document, right: Document) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8) && left.members == right.members
    }

    /// Hashes the ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The ID and the properties.
    public var description: String { "\(id): \(json)" }
}

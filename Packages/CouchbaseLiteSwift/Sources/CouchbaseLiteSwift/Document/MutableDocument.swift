import DivanJSON
import DivanRevisions
import Foundation

/// An editable document.
///
/// Saving it creates a revision and updates this object.
///
/// Nested containers are live: editing a dictionary that ``dictionary(forKey:)`` returned edits the document. Use it on
/// one thread at a time.
///
/// Source: `behaviour.md` §2, §3.
public final class MutableDocument: Document, MutableDictionaryProtocol, @unchecked Sendable {
    // Unchecked, and only because the superclass is `Sendable`: it may move from one thread to another, and is
    // documented to be used by one thread at a time.

    private let members: MutableDictionaryObject
    private let isCopyOfDamaged: Bool

    /// Creates an empty document with a new ID.
    public convenience init() {
        self.init(id: nil)
    }

    /// Creates an empty document.
    ///
    /// - Parameter id: 1 to 240 bytes of UTF-8, checked when the document is saved; `nil` generates an ID.
    public convenience init(id: String?) {
        self.init(id: id, members: MutableDictionaryObject())
    }

    /// Creates a document with the members of `data` and a new ID.
    public convenience init(data: [String: Any]) {
        self.init(id: nil, data: data)
    }

    /// Creates a document from a JSON object, with a new ID.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    public convenience init(json: String) throws {
        try self.init(id: nil, json: json)
    }

    /// Creates a document with the members of `data`.
    public convenience init(id: String?, data: [String: Any]) {
        let members = MutableDictionaryObject(data: data)
        self.init(id: id, members: members)
    }

    /// Creates a document from a JSON object.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    public convenience init(id: String?, json: String) throws {
        let members = try MutableDictionaryObject(json: json)
        self.init(id: id, members: members)
    }

    /// Creates the document for a model.
    init(
        id: String?,
        members: MutableDictionaryObject,
        standing: DocumentState = DocumentState(nil, in: nil)
    ) {
        self.members = members
        isCopyOfDamaged = false
        let name = id.map { StoredID(unchecked: $0) } ?? Self.makeID()
        super.init(id: name, standing: standing)
    }

    /// Creates an editable copy of a stored document.
    init(copying document: Document) {
        members = MutableDictionaryObject(document.root.members)
        isCopyOfDamaged = document.isDamaged
        super.init(id: document.name, standing: document.standing)
    }

    override var root: DictionaryObject { members }

    override func member(_ key: String) -> Value? { members.members[key] }

    override func plainMembers() -> [String: Any] { members.toDictionary() }

    /// Takes over the members of another dictionary.
    func replaceMembers(with other: MutableDictionaryObject) {
        members.members = other.members
    }

    /// Makes blobs read from `database`, in which the document is now saved.
    func settleBlobs(in database: Database) {
        members.members.settle(in: database)
    }

    override var isDamaged: Bool { isCopyOfDamaged }

    /// Returns this document.
    public override func toMutable() -> MutableDocument { self }

    /// Returns the array, or `nil` if the value is not an array.
    public override func array(forKey key: String) -> MutableArrayObject? {
        members.array(forKey: key)
    }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public override func dictionary(forKey key: String) -> MutableDictionaryObject? {
        members.dictionary(forKey: key)
    }

    /// Sets a value of any type that documents can store; `nil` stores null.
    @discardableResult
    public func setValue(_ value: Any?, forKey key: String) -> Self {
        members.setValue(value, forKey: key)
        return self
    }

    /// Replaces all members.
    @discardableResult
    public func setData(_ data: [String: Any]) -> Self {
        members.setData(data)
        return self
    }

    /// Replaces all members with those of a JSON object.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        try members.setJSON(json)
        return self
    }

    /// Removes the key and its value.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        members.removeValue(forKey: key)
        return self
    }

    /// Stops the program: mutable objects do not support it.
    ///
    /// Use `toDictionary()`.
    public override func toJSON() -> String {
        stopForMisuse("toJSON() needs an immutable document; save this one and read it back")
    }

    /// The fragment at `key`; assigning to it edits this document.
    public override subscript(key: String) -> MutableFragment { members[key] }

    private static func makeID() -> StoredID {
        var generator = SystemRandomNumberGenerator()
        let time = UInt64(clamping: Int64(Date().timeIntervalSince1970 * 1_000))
        return StoredID(madeAt: time, using: &generator)
    }
}

/// A document by its ID, whether or not it exists: `collection["id"]["key"].string`.
public final class DocumentFragment: DictionaryFragment {
    /// The document; `nil` if it does not exist.
    public let document: Document?

    init(_ document: Document?) {
        self.document = document
    }

    /// Whether the document exists.
    public var exists: Bool { document != nil }

    /// The fragment at `key` in the document.
    public subscript(key: String) -> Fragment { document?[key] ?? Fragment(.nowhere) }
}

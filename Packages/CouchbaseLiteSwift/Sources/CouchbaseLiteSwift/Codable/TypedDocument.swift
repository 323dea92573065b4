import DivanRevisions
import Foundation

/// A document whose content is a Swift value, such as a struct.
///
/// The official API only supports classes with a `DocumentID`; use this type in new code. It is a value type: copies
/// are independent, and it is `Sendable` if its content is. It remembers the revision that was read or saved, so that
/// conflicts are detected.
///
/// ```swift
/// struct Task: Codable, Sendable { var title: String; var isDone = false }
///
/// var task = TypedDocument(id: "milk", Task(title: "Buy milk"))
/// try tasks.save(&task)
/// if var again = try tasks.typedDocument(id: "milk", of: Task.self) {
///     again.content.isDone = true
///     try tasks.save(&again)
/// }
/// ```
///
/// An addition to the official API.
public struct TypedDocument<Content> {
    /// The document's ID.
    public let id: String
    /// The content of the body.
    public var content: Content
    fileprivate var standing = DocumentState(nil, in: nil)
    fileprivate var unknown: UnknownMembers?

    /// Creates a document that is not stored yet; saving it replaces an existing document with that ID.
    ///
    /// - Parameters:
    ///   - id: 1 to 240 bytes; generated if omitted. Saving fails with an invalid one.
    ///   - content: The content of the body.
    public init(id: String? = nil, _ content: Content) {
        self.id = id ?? MutableDocument().id
        self.content = content
    }

    /// The revision that was read or saved; `nil` before the first save.
    public var revisionID: String? { standing.valid.state?.revisionID.description }
}

extension TypedDocument: Sendable where Content: Sendable {}

extension Collection {
    /// Returns a document as a value, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: `CBLError.decodingError` when the document does not match the type; `notOpen`.
    public func typedDocument<Content: Decodable>(
        id: String,
        of type: Content.Type
    ) throws -> TypedDocument<Content>? {
        try document(id: id).map { try TypedDocument($0) }
    }

    /// Saves a document; overwrites other changes (last write wins).
    ///
    /// Keys that the content's type does not have are kept, as in ``save(from:)``.
    ///
    /// - Throws: `CBLError.encodingError`; the same errors as `save(document:)`.
    public func save<Content: Encodable>(_ document: inout TypedDocument<Content>) throws {
        _ = try save(&document, concurrencyControl: .lastWriteWins)
    }

    /// Saves a document.
    ///
    /// - Returns: `false` if `concurrencyControl` is `.failOnConflict` and the document was changed since `document`
    ///   was read or saved. Nothing is written then.
    /// - Throws: The same errors as ``save(_:)``.
    public func save<Content: Encodable>(
        _ document: inout TypedDocument<Content>,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        let members = try ModelEncoder.encode(content: document.content)
        document.unknown?.restore(into: members)
        let stored = document.stored(members)
        let isSaved = try save(document: stored, concurrencyControl: concurrencyControl)
        if isSaved { document.standing = stored.standing }
        return isSaved
    }

    /// Deletes a document.
    ///
    /// - Returns: The same as `delete(document:concurrencyControl:)`.
    /// - Throws: `CBLError.notFound` for a document that was never saved; the same errors as `delete(document:)`.
    @discardableResult
    public func delete<Content>(
        _ document: inout TypedDocument<Content>,
        concurrencyControl: ConcurrencyControl = .lastWriteWins
    ) throws -> Bool {
        let stored = document.stored(MutableDictionaryObject())
        let isDeleted = try delete(document: stored, concurrencyControl: concurrencyControl)
        if isDeleted { document.standing = stored.standing }
        return isDeleted
    }
}

extension TypedDocument where Content: Decodable {
    /// Decodes a stored document.
    ///
    /// - Throws: `CBLError.decodingError` when it does not match the type.
    init(_ document: Document) throws {
        let (content, unknown) = try ModelDecoder.decodeKnowing(Content.self, from: document)
        self.init(id: document.id, content)
        standing = document.standing
        self.unknown = unknown
    }
}

extension TypedDocument {
    fileprivate func stored(_ members: MutableDictionaryObject) -> MutableDocument {
        MutableDocument(id: id, members: members, standing: standing)
    }
}

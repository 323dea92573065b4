import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation
import Synchronization

/// A document as it was when it was read.
///
/// To edit it, use ``toMutable()``.
///
/// It can be read from several threads at once; use a ``MutableDocument`` on one thread at a time. The body is parsed
/// on first access. Iterating yields the keys.
///
/// Source: `behaviour.md` §2, §3.
public class Document: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked because the class has a subclass: everything here is constant or locked.

    /// The document ID: 1 to 240 bytes of UTF-8.
    ///
    /// IDs are compared by their bytes: composed and decomposed `é` are different IDs, although `String` considers them
    /// equal.
    public final var id: String { name.text }

    /// The collection; `nil` until the document is saved.
    ///
    /// A purge does not clear it.
    public final var collection: Collection? { standing.valid.collection }

    /// The document ID, compared by its bytes.
    final let name: StoredID
    /// The state in the store when the document was last read or saved; `nil` until saved.
    final var state: RevisionState? { standing.valid.state }
    /// Where `collection` and `state` come from.
    final var standing: DocumentState { held.withLock { $0 } }
    private let held: Mutex<DocumentState>
    /// Whether `toMutable()` is allowed; it is not for documents that filters see.
    final let isEditable: Bool
    let body: DocumentBody

    /// Creates a document from a revision as the store or the replicator holds it.
    ///
    /// `state` is the revision, or `nil` for a document that was never saved; `body` is a JSON
    /// object; `isEditable` says whether `toMutable()` is allowed.
    init(
        id: StoredID,
        state: RevisionState?,
        body: [UInt8],
        collection: Collection?,
        isEditable: Bool = true
    ) {
        name = id
        held = Mutex(DocumentState(state, in: collection))
        self.body = DocumentBody(body, in: collection?.database)
        self.isEditable = isEditable
    }

    /// Adopts the result of a save or purge, unless its batch is rolled back later.
    final func adopt(_ state: RevisionState?, of collection: Collection, in file: DatabaseFile) {
        let batch = file.runningBatch
        held.withLock { $0 = DocumentState(state, in: collection, after: $0, batch: batch) }
    }

    /// Creates the part of a mutable document that knows what was saved.
    init(id: StoredID, standing: DocumentState) {
        name = id
        held = Mutex(standing)
        body = DocumentBody([], in: standing.valid.collection?.database)
        isEditable = true
    }

    /// Creates a document from what the store returned.
    convenience init(stored: StoredDocument, collection: Collection, isEditable: Bool = true) {
        self.init(
            id: stored.documentID,
            state: RevisionState(stored),
            body: stored.body,
            collection: collection,
            isEditable: isEditable
        )
    }

    /// Creates a document from a revision that is not, or not yet, the stored one.
    convenience init(
        id: StoredID,
        revisionID: RevisionID,
        body: [UInt8],
        collection: Collection,
        isEditable: Bool = true
    ) {
        self.init(
            id: id,
            state: RevisionState(revisionID: revisionID, sequence: 0, isTombstone: false),
            body: body,
            collection: collection,
            isEditable: isEditable
        )
    }

    /// The revision ID; `nil` until the document is saved.
    public final var revisionID: String? { state?.revisionID.description }

    /// When the revision was created, in nanoseconds since 1970 by its writer's clock; 0 until the document is saved.
    /// With revision trees, it is the generation: 1, 2, …
    public final var timestamp: UInt64 { state?.revisionID.timestamp ?? 0 }

    /// The local sequence of this revision; 0 until the document is saved.
    public final var sequence: UInt64 { state?.sequence ?? 0 }

    /// Returns a copy that can be edited and saved.
    ///
    /// Calling it on a document passed to a replication filter stops the program.
    public func toMutable() -> MutableDocument {
        guard isEditable else {
            stopForMisuse("Document \(id): a document passed to a filter is read-only")
        }
        return MutableDocument(copying: self)
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// Returns the IDs of this revision and its ancestors, newest first, separated by commas; with version vectors, the
    /// version vector.
    ///
    /// `nil` for a document that was never saved or no longer exists. For tests; unsupported, as in the official SDK.
    public final func _getRevisionHistory() -> String? {
        guard let state, let collection else { return nil }
        let (path, id) = (collection.path, name)
        let history = collection.orWarn("revisions of document \(id)") {
            try collection.read { reader in try reader.revisions(of: id, in: path) }
        }
        let text = history?.text(of: state.revisionID) ?? ""
        return text.isEmpty ? nil : text
    }

    /// The body as stored: JSON in UTF-8, byte for byte what peers receive; blobs appear as their metadata.
    ///
    /// For code that forwards or compares documents: nothing is parsed, while ``toJSON()`` can format numbers
    /// differently. `nil` for a ``MutableDocument``. An addition to the official API.
    public final var storedJSON: [UInt8]? { body.bytes.isEmpty ? nil : body.bytes }

    /// The members; a mutable document has its own.
    var root: DictionaryObject { body.root(documentID: id) }

    /// A member, for a caller that needs no container.
    func member(_ key: String) -> Value? { body.member(key, documentID: id) }

    /// The members as plain collections.
    func plainMembers() -> [String: Any] { body.plainDictionary(documentID: id) }

    /// Whether the stored body could not be parsed, so that members are missing here.
    var isDamaged: Bool { body.isDamaged(documentID: id) }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob`, `ArrayObject`, `DictionaryObject` or `nil`.
    public final func value(forKey key: String) -> Any? { root.value(forKey: key) }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(forKey key: String) -> ArrayObject? { root.array(forKey: key) }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(forKey key: String) -> DictionaryObject? { root.dictionary(forKey: key) }

    /// Returns the document as JSON text, with the metadata of blobs; not supported for mutable documents.
    public func toJSON() -> String { root.toJSON() }

    /// The fragment at `key`, whether or not a value exists there.
    public subscript(key: String) -> Fragment { root[key] }

    /// Whether both are the same document of the same collection, with the same content.
    ///
    /// They can be from different `Database` objects of the same file.
    public static func == (left: Document, right: Document) -> Bool {
        left === right
            || (left.name == right.name && left.collection == right.collection
                && left.root == right.root)
    }

    /// Feeds the document ID into `hasher`.
    public final func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// The revision that a document object stands for.
struct RevisionState {
    let revisionID: RevisionID
    let sequence: UInt64
    let isTombstone: Bool

    init(revisionID: RevisionID, sequence: UInt64, isTombstone: Bool) {
        self.revisionID = revisionID
        self.sequence = sequence
        self.isTombstone = isTombstone
    }

    init(_ stored: StoredDocument) {
        self.init(
            revisionID: stored.revisionID,
            sequence: stored.sequence,
            isTombstone: stored.isTombstone
        )
    }
}

public import DivanDatabase
import DivanJSON
import DivanPlatform
public import DivanRevisions

/// Which documents are exported: those that have not expired.
///
/// A program that opens the database for writing purges the others. A program that reads treats them as purged,
/// but leaves them in place: it may be reading a backup.
public struct UnexpiredDocuments: Sendable {
    /// Documents that expire at this time or earlier are left out, in milliseconds since 1970; `nil` if no document
    /// has expired, as nearly always.
    public let now: Int64?

    /// Determines whether any document of a store has expired; what is read must be a later state of the store.
    ///
    /// - Throws: `StoreError`.
    public init(in store: Store) throws {
        self = try store.read { try UnexpiredDocuments(in: $0) }
    }

    /// Determines whether any document of a snapshot has expired.
    ///
    /// - Throws: `StoreError`.
    public init(in reader: StoreReader) throws {
        let (now, first) = (WallClock.milliseconds(), try reader.nextExpiration())
        self.now = first.map { $0 <= now } ?? false ? now : nil
    }

    /// Whether a document of a snapshot is exported.
    ///
    /// - Throws: `StoreError`.
    public func contain(
        _ documentID: DivanRevisions.DocumentID,
        in path: CollectionPath,
        of reader: StoreReader
    ) throws -> Bool {
        guard let now, let end = try reader.expiration(of: documentID, in: path) else {
            return true
        }
        return end > now
    }
}

extension StoreReader {
    /// Calls `body` with each document of a collection that has not expired, or each of a choice, and its contents;
    /// adds those that cannot be read to `damaged`.
    func forEachObject(
        in path: CollectionPath,
        choosing choice: DocumentChoice?,
        among living: UnexpiredDocuments,
        _ damaged: inout DamagedDocuments,
        _ body: (StoredDocument, JSONMembers) throws -> Void
    ) throws {
        try forEachDocument(in: path, choosing: choice) { documentID in
            damaged.add(documentID.text, in: path.wireName)
        } _: { document in
            guard try living.contain(document.documentID, in: path, of: self) else { return }
            var members = try JSONMembers(storedBody: document.body)
            if members.isUnordered {
                members = try JSONMembers(storedBody: members.canonicalBytes())
            }
            try body(document, members)
        }
    }
}

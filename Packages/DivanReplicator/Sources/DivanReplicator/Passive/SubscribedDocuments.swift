import DivanJSON
import DivanRevisions

/// The documents to which a peer has limited its subscription.
struct SubscribedDocuments {
    let documentIDs: Set<DocumentID>
    /// Bytes of their IDs, including their places in the set.
    let byteCount: Int

    /// Reads the body of a subscription; `nil` if it names none, so that all are wanted.
    init?(_ body: [UInt8]) {
        guard !body.isEmpty, let items = (try? JSON(parsing: body.span))?["docIDs"]?.array else {
            return nil
        }
        documentIDs = Set(items.lazy.compactMap(\.string).map { DocumentID(unchecked: $0) })
        byteCount = documentIDs.reduce(0) { $0 + $1.text.utf8.count + 64 }
    }
}

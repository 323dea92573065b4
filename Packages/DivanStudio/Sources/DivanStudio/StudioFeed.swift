import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanRevisions
import Synchronization

/// The changes of all collections from now on, as events.
final class StudioFeed: Sendable {
    private let store: Store
    private let pageCount: Int
    private let sequences: Mutex<[CollectionPath: UInt64]>

    /// Starts with the changes after the current ones; `pageCount` is the number per collection in one piece.
    init(_ store: Store, pageCount: Int) throws {
        self.store = store
        self.pageCount = pageCount
        sequences = Mutex(try store.readLiving { try $0.lastSequences() })
    }

    /// Tells a page that it is connected, and to which database.
    static func greeting(of name: String) throws -> [UInt8] {
        let text: JSON = ["name": .string(name)]
        return HTTPEvent(name: "hello", data: try text.canonicalBytes()).bytes
    }

    /// A change as sent to the page.
    static func json(_ change: ChangeRow, _ path: CollectionPath) -> JSON {
        [
            "collection": .string("\(path)"), "id": .string(change.documentID.text),
            "rev": .string("\(change.revisionID)"), "sequence": JSON(change.sequence),
            "deleted": .bool(change.flags.contains(.tombstone)),
            "conflict": .bool(change.flags.contains(.conflicted)),
        ]
    }

    /// The events since the last call; `nil` if there are none.
    func read() throws -> [UInt8]? {
        var sequences = sequences.withLock { $0 }
        var events: [UInt8] = []
        try store.readLiving { reader in
            for path in try reader.collections() {
                let last = sequences[path] ?? 0
                let page = try reader.changes(in: path, after: last, limit: pageCount)
                for change in page {
                    let data = try Self.json(change, path).canonicalBytes()
                    events += HTTPEvent(name: "change", data: data).bytes
                }
                sequences[path] = page.last?.sequence ?? last
            }
        }
        self.sequences.withLock { [sequences] in $0 = sequences }
        return events.isEmpty ? nil : events
    }
}

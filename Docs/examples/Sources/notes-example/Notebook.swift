import CouchbaseLiteSwift
import Dispatch

/// Notes in one collection, in the order in which they were written.
///
/// A note is a document. Another document contains the IDs of the notes in order. Both are saved in one
/// batch, so a note and its position are stored together or not at all.
final class Notebook {
    private let database: Database
    private let notes: Collection
    // Serial, so that changes are reported one after another.
    private let queue = DispatchQueue(label: "notes.changes")
    private var token: ListenerToken?

    private static let orderID = "order"

    init(directory: String) throws {
        var config = DatabaseConfiguration()
        config.directory = directory
        database = try Database(name: "notes", config: config)
        notes = try database.createCollection(name: "notes")
    }

    /// Calls `tell` on a separate queue with a line about each note that changes.
    func tellChanges(_ tell: @escaping @Sendable (String) -> Void) {
        token = notes.addChangeListener(queue: queue) { change in
            for id in change.documentIDs where id != Self.orderID {
                let note = change.collection[id]
                tell(note.exists ? "changed \(id): \(note.summary)" : "removed \(id)")
            }
        }
    }

    /// Writes a note at the end and returns its ID.
    func add(_ text: String) throws -> String {
        var id = ""
        try database.inBatch {
            let order = try order()
            let number = order.int(forKey: "last") + 1
            id = "note-\(number)"
            let note = MutableDocument(id: id)
            note.setString(text, forKey: "text").setBoolean(false, forKey: "done")
            try notes.save(document: note)

            let ids = order.array(forKey: "notes") ?? MutableArrayObject()
            order.setArray(ids.addString(id), forKey: "notes").setInt(number, forKey: "last")
            try notes.save(document: order)
        }
        return id
    }

    /// Marks a note as done; returns `false` if it does not exist.
    func finish(_ id: String) throws -> Bool {
        guard id != Self.orderID, let note = try notes.document(id: id)?.toMutable() else {
            return false
        }
        try notes.save(document: note.setBoolean(true, forKey: "done"))
        return true
    }

    /// Deletes a note; returns `false` if it does not exist.
    func remove(_ id: String) throws -> Bool {
        guard id != Self.orderID, let note = try notes.document(id: id) else { return false }
        try database.inBatch {
            try notes.delete(document: note)
            let order = try order()
            let ids = (order.array(forKey: "notes")?.toArray() as? [String]) ?? []
            order.setValue(ids.filter { $0 != id }, forKey: "notes")
            try notes.save(document: order)
        }
        return true
    }

    /// All notes, a line each.
    func lines() throws -> [String] {
        let ids = (try order().array(forKey: "notes")?.toArray() as? [String]) ?? []
        return ids.map { "\($0): \(notes[$0].summary)" }
    }

    /// Waits until all changes so far have been reported.
    func settle() {
        queue.sync {}
    }

    /// Ends the listener and closes the database.
    func close() throws {
        settle()
        token?.remove()
        try database.close()
    }

    private func order() throws -> MutableDocument {
        try notes.document(id: Self.orderID)?.toMutable() ?? MutableDocument(id: Self.orderID)
    }
}

extension DocumentFragment {
    /// The note in one line.
    fileprivate var summary: String {
        let text = self["text"].string ?? "(no text)"
        return self["done"].boolean ? text + ", done" : text
    }
}

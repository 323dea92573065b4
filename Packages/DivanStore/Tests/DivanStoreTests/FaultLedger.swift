import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore
import Testing

/// What a run under faults did, what the store must contain afterwards, and whether it does.
///
/// A step that returned must be stored whole. One that threw may be stored whole or not at all,
/// since a commit that could not be confirmed may still have reached the file; but never in part.
struct FaultLedger {
    /// A transaction: its name, the bodies that it leaves (`nil` means no live document), and its work.
    struct Step {
        let name: String
        let leaves: [Place: String?]
        let run: (Store) throws -> Void
    }

    /// A document of a collection.
    struct Place: Hashable {
        let collection: CollectionPath
        let documentID: DocumentID

        init(_ documentID: DocumentID, in collection: CollectionPath = .default) {
            self.collection = collection
            self.documentID = documentID
        }
    }

    private var owed: [Place: String?] = [:]
    private var doubtful: [Step] = []
    /// The errors that steps threw.
    private(set) var errors: [any Error] = []

    mutating func perform(_ step: Step, on store: Store) {
        do {
            try step.run(store)
            owed.merge(step.leaves) { $1 }
            doubtful.removeAll { !Set($0.leaves.keys).isDisjoint(with: step.leaves.keys) }
        } catch {
            errors.append(error)
            doubtful.append(step)
        }
    }

    /// Records a step that is known to be stored.
    mutating func owe(_ step: Step) {
        owed.merge(step.leaves) { $1 }
    }

    /// Records a step that is known not to be stored: its documents are as others left them.
    mutating func oweNothing(of step: Step) {
        owed.merge(step.leaves.mapValues { _ in nil }) { before, _ in before }
    }

    /// One sentence for everything that is not as it should be.
    func complaints(about store: Store) throws -> [String] {
        var complaints: [String] = []
        do { try store.checkIntegrity() } catch { complaints.append("\(error)") }
        for (place, body) in owed
        where !doubtful.contains(where: { $0.leaves.keys.contains(place) }) {
            let found = try text(place, in: store)
            if found != body {
                complaints.append("\(place.documentID): \(found ?? "none"), owed \(body ?? "none")")
            }
        }
        for (index, step) in doubtful.enumerated() {
            // A document that several such steps changed may be as any of them left it, so it
            // proves nothing about the earlier ones.
            let later = doubtful[(index + 1)...].flatMap(\.leaves.keys)
            let places = step.leaves.keys.filter { !later.contains($0) }
            let found = try places.map { try text($0, in: store) }
            let allowed = doubtful.filter { Set($0.leaves.keys).isSuperset(of: places) }
                .map { other in places.map { other.leaves[$0] ?? nil } }
            if found != places.map({ owed[$0] ?? nil }), !allowed.contains(found) {
                complaints.append("\(step.name): half of it is there")
            }
        }
        return try complaints + blobComplaints(store) + indexComplaints(store)
    }

    /// Through each existing index, exactly the documents of a batch are found.
    private func indexComplaints(_ store: Store) throws -> [String] {
        let questions: [(index: ExactText, sql: String)] = [
            ("byText", "SELECT META().id FROM _ WHERE text = 'batch'"),
            ("byItem", "SELECT META(d).id FROM _ AS d UNNEST d.text AS t WHERE t = 'batch'"),
            ("words", "SELECT META().id FROM _ WHERE MATCH(words, 'batch')"),
        ]
        let documents = try store.read { try $0.documents(in: .default, after: 0, limit: 1_000) }
        let expected = documents.filter { $0.text.contains(#""text":"batch""#) }
            .map { QueryValue.string($0.documentID.text) }
        let names = try store.read { try $0.indexes(in: .default).map(\.name) }
        return try questions.filter { names.contains($0.index) }.compactMap { index, sql in
            let catalogue = StoreCatalogue(store, named: "db")
            let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
            let rows = try store.rows(of: StorageQuery(statement))
            var found: [QueryValue] = []
            while let row = try rows.next() { found += row }
            return Set(found) == Set(expected) && found.count == expected.count
                ? nil : "\(index.text) finds \(found.count) documents of \(expected.count)"
        }
    }

    private func text(_ place: Place, in store: Store) throws -> String? {
        try store.read { reader in
            guard try reader.hasCollection(place.collection) else { return nil }
            return try reader.document(place.documentID, in: place.collection)?.text
        }
    }

    private func blobComplaints(_ store: Store) throws -> [String] {
        var complaints: [String] = []
        let documents = try store.read { reader in
            try reader.documents(in: .default, after: 0, limit: 1_000)
        }
        for document in documents where document.flags.contains(.hasBlobs) {
            for digest in try BlobReferences.digests(in: document.body) {
                let content = try? store.blobs.read(digest)
                if content.map({ BlobDigest(hashing: $0.span) }) != digest {
                    complaints.append("\(document.documentID): its blob is missing or damaged")
                }
            }
        }
        return complaints
    }
}

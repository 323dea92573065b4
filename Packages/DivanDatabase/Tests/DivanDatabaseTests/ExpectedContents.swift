import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// What a run under faults did, what the store must contain afterwards, and whether it does.
///
/// A step that returned must be stored whole. One that threw may be stored whole or not at all,
/// since a commit that could not be confirmed may still have reached the file; but never in part.
struct ExpectedContents {
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

    private var stored: [Place: String?] = [:]
    private var doubtful: [Step] = []
    /// The errors that steps threw.
    private(set) var errors: [any Error] = []

    mutating func perform(_ step: Step, on store: Store) {
        do {
            try step.run(store)
            stored.merge(step.leaves) { $1 }
            doubtful.removeAll { !Set($0.leaves.keys).isDisjoint(with: step.leaves.keys) }
        } catch {
            errors.append(error)
            doubtful.append(step)
        }
    }

    /// Records a step that is known to be stored.
    mutating func expect(_ step: Step) {
        stored.merge(step.leaves) { $1 }
    }

    /// Records a step that is known not to be stored: its documents are as others left them.
    mutating func expectNothing(of step: Step) {
        stored.merge(step.leaves.mapValues { _ in nil }) { before, _ in before }
    }

    /// One sentence for everything that is not as it should be.
    func problems(about store: Store) throws -> [String] {
        var problems: [String] = []
        do { try store.checkIntegrity() } catch { problems.append("\(error)") }
        for (place, body) in stored
        where !doubtful.contains(where: { $0.leaves.keys.contains(place) }) {
            let found = try text(place, in: store)
            if found != body {
                problems.append(
                    "\(place.documentID): \(found ?? "none"), expected \(body ?? "none")"
                )
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
            if found != places.map({ stored[$0] ?? nil }), !allowed.contains(found) {
                problems.append("\(step.name): stored in part")
            }
        }
        return try problems + blobProblems(store) + indexProblems(store)
    }

    /// Through each existing index, exactly the documents of a batch are found.
    private func indexProblems(_ store: Store) throws -> [String] {
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

    private func blobProblems(_ store: Store) throws -> [String] {
        var problems: [String] = []
        let documents = try store.read { reader in
            try reader.documents(in: .default, after: 0, limit: 1_000)
        }
        for document in documents where document.flags.contains(.hasBlobs) {
            for digest in try BlobReferences.digests(in: document.body) {
                let content = try? store.blobs.read(digest)
                if content.map({ BlobDigest(hashing: $0.span) }) != digest {
                    problems.append("\(document.documentID): its blob is missing or damaged")
                }
            }
        }
        return problems
    }
}

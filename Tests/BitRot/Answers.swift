import DivanDatabase
import DivanRevisions

/// Everything that the readers of a database return, each under a name; errors are answers too.
struct Answers: Equatable {
    private var answers: [[UInt8]: Answer] = [:]
    /// Whether something could not be read.
    private(set) var hasErrors = false

    /// What a reader returned, compared as it is: describing 3,000 bodies takes ten times as long
    /// as reading them.
    private enum Answer: Equatable {
        case bytes([UInt8])
        case documentIDs([DocumentID])
        case changes([ChangeRow])
        case document(StoredDocument?, RevisionTree?, expiration: Int64?)
    }

    /// Reads everything from the database in a directory, without changing a file.
    init(of directory: String, documentIDs: [String]) {
        do {
            let store = try Experiment.open(directory)
            defer { try? store.close() }
            ask("identity") { .bytes(Array("\(store.publicUUID) \(store.privateUUID)".utf8)) }
            ask("checkpoint") { .bytes(try store.localCheckpoint("checkpoint") ?? []) }
            try store.read { reader in
                for path in try reader.collections() {
                    askAll(of: path, reader, documentIDs)
                }
            }
            for digest in documentIDs.indices.compactMap({ Content.blob(of: $0)?.digest }) {
                // Readers compare what they read with the digest.
                ask("blob \(digest)") {
                    let content = try store.blobs.read(digest)
                    return .bytes([BlobDigest(hashing: content.span) == digest ? 1 : 0])
                }
            }
        } catch {
            note("open", "\(error)")
        }
    }

    private mutating func askAll(
        of path: CollectionPath,
        _ reader: StoreReader,
        _ documentIDs: [String]
    ) {
        let name = "\(path)"
        ask("\(name) count") {
            .bytes(Array("\(try reader.count(in: path)) \(try reader.lastSequence(in: path))".utf8))
        }
        ask("\(name) IDs") { .documentIDs(try reader.documentIDs(in: path, limit: 100_000)) }
        ask("\(name) conflicts") { .documentIDs(try reader.conflicts(in: path)) }
        ask("\(name) feed") { .changes(try reader.changes(in: path, after: 0, limit: 100_000)) }
        for id in documentIDs.map({ DocumentID(unchecked: $0) }) {
            ask("\(name) \(id)") {
                .document(
                    try reader.document(id, in: path, includingTombstones: true),
                    try reader.tree(of: id, in: path),
                    expiration: try reader.expiration(of: id, in: path)
                )
            }
        }
    }

    private mutating func ask(_ name: String, _ body: () throws -> Answer) {
        do {
            answers[Array(name.utf8)] = try body()
        } catch {
            note(name, "\(error)")
        }
    }

    private mutating func note(_ name: String, _ error: String) {
        hasErrors = true
        answers[Array(name.utf8)] = .bytes(Array("error: \(error)".utf8))
    }
}

import DivanRevisions
import DivanStore

/// Everything that the readers of a database tell, each under a name; errors are answers too.
struct Answers: Equatable {
    private(set) var texts: [[UInt8]: [UInt8]] = [:]
    /// Whether something could not be read.
    private(set) var hasErrors = false

    /// Asks everything of the database in a directory, without changing a file.
    init(of directory: String, documentIDs: [String]) {
        do {
            let store = try Experiment.open(directory)
            defer { try? store.close() }
            ask("identity") { "\(store.publicUUID) \(store.privateUUID)" }
            ask("checkpoint") { "\(try store.localCheckpoint("checkpoint") ?? [])" }
            try store.read { reader in
                for path in try reader.collections() {
                    askAll(of: path, reader, documentIDs)
                }
            }
            for digest in documentIDs.indices.compactMap({ Content.blob(of: $0)?.digest }) {
                // Readers compare what they read with the digest.
                ask("blob \(digest)") {
                    let content = try store.blobs.read(digest)
                    return BlobDigest(hashing: content.span) == digest ? "whole" : "no content"
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
            "\(try reader.count(in: path)) \(try reader.lastSequence(in: path))"
        }
        ask("\(name) IDs") { "\(try reader.documentIDs(in: path, limit: 100_000))" }
        ask("\(name) conflicts") { "\(try reader.conflicts(in: path))" }
        ask("\(name) feed") { "\(try reader.changes(in: path, after: 0, limit: 100_000))" }
        for id in documentIDs.map({ DocumentID(unchecked: $0) }) {
            ask("\(name) \(id)") {
                let document = try reader.document(id, in: path, includingTombstones: true)
                let tree = try reader.tree(of: id, in: path)
                let expiration = try reader.expiration(of: id, in: path)
                return "\(String(describing: document)) \(String(describing: expiration)) "
                    + (tree?.revisions.map { "\($0.id) \($0.body ?? [])" }.joined() ?? "")
            }
        }
    }

    private mutating func ask(_ name: String, _ body: () throws -> String) {
        do {
            texts[Array(name.utf8)] = Array(try body().utf8)
        } catch {
            note(name, "\(error)")
        }
    }

    private mutating func note(_ name: String, _ error: String) {
        hasErrors = true
        texts[Array(name.utf8)] = Array("error: \(error)".utf8)
    }
}

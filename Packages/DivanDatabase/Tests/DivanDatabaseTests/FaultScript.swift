import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions

/// The steps of a run under faults: each operation that writes, with bodies that take several pages.
enum FaultScript {
    typealias Step = ExpectedContents.Step
    typealias Place = ExpectedContents.Place
    private static let remote = RemoteID(rawValue: 1)

    static func steps() throws -> [ExpectedContents.Step] {
        guard let people = CollectionPath("people") else { return [] }
        return try [
            saving("first"), batch("batch", count: 12), blob("photo", 3_000), save("edited", "1"),
            save("edited", "2"), deletion("first"), received(), conflicted(), resolved(),
            checkpoint(), collection(people, "ada"), purge("batch-3"),
            compaction(), batch("later", count: 4), blob("many", 40_000),
            emptied(people, "ada"),
        ]
    }

    /// Indexes of each sort are created, maintained, rebuilt and dropped.
    static func indexing() throws -> [ExpectedContents.Step] {
        try [
            batch("batch", count: 12), index("byText"), index("byItem"), index("words"),
            save("batch-2", "edited"), deletion("batch-3"), batch("batch", count: 4),
            Step(name: "reindex", leaves: [:]) { try $0.reindex() },
            dropped("byText"), dropped("byItem"), dropped("words"),
        ]
    }

    /// A database with trees, indexes and a conflict becomes one with version vectors, and is edited and compacted.
    static func upgrading() throws -> [ExpectedContents.Step] {
        try [
            batch("batch", count: 12), index("byText"), received(), conflicted(),
            deletion("batch-3"),
            Step(name: "upgrade", leaves: [:]) { try $0.upgradeToVersionVectors() },
            save("batch-2", "edited"), resolved(), deletion("batch-4"),
            Step(name: "optimize", leaves: [:]) { try $0.optimize(isThorough: true) },
            batch("later", count: 4), compaction(), saving("last"),
        ]
    }

    private static func index(_ name: ExactText) throws -> Step {
        let text = try QueryExpression(sql: "text").checked(over: .standard)
        let definition: QueryIndexDefinition =
            switch name.text {
            case "byText": .value([CheckedKey(text)], filter: nil)
            case "byItem": .array(["text"], [])
            default:
                .fullText(
                    [QueryIndexDefinition.FullTextColumn(name: "text", text)],
                    tokenizer: "divan1 en 1",
                    filter: nil
                )
            }
        return Step(name: "make \(name.text)", leaves: [:]) { store in
            try store.write { try $0.createIndex(name, definition, in: .default) }
        }
    }

    static func dropped(_ name: ExactText) -> Step {
        Step(name: "drop \(name.text)", leaves: [:]) { store in
            try store.write { try $0.deleteIndex(name, in: .default) }
        }
    }

    private static func body(_ text: String) -> String {
        #"{"filler":"\#(String(repeating: "-", count: 900))","text":"\#(text)"}"#
    }

    private static func saving(_ id: DocumentID) -> Step { save(id, id.text) }

    private static func save(_ id: DocumentID, _ text: String) -> Step {
        Step(name: "save \(id) \(text)", leaves: [Place(id): body(text)]) { store in
            _ = try store.save(id, in: .default, body: Array(body(text).utf8))
        }
    }

    private static func batch(_ name: String, count: Int) -> Step {
        let ids = (0..<count).map { DocumentID(unchecked: "\(name)-\($0)") }
        let leaves = ids.map { (Place($0), Optional(body(name))) }
        return Step(
            name: name,
            leaves: Dictionary(uniqueKeysWithValues: leaves)
        ) { store in
            try store.write { writer in
                for id in ids {
                    _ = try writer.save(id, in: .default, body: Array(body(name).utf8))
                }
            }
        }
    }

    private static func blob(_ id: DocumentID, _ byteCount: Int) -> Step {
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: byteCount), count: byteCount)
        let digest = BlobDigest(hashing: content.span)
        let text = #"{"file":{"@type":"blob","digest":"\#(digest)","length":\#(byteCount)}}"#
        return Step(name: "blob \(id)", leaves: [Place(id): text]) { store in
            _ = try store.blobs.write(content)
            let revision = LocalRevision(id, body: Array(text.utf8), hasBlobs: true)
            _ = try store.save(revision, in: .default)
        }
    }

    static func deletion(_ id: DocumentID) -> Step {
        Step(name: "delete \(id)", leaves: [Place(id): String?.none]) { store in
            _ = try store.save(LocalRevision(deleting: id), in: .default)
        }
    }

    private static func received() throws -> Step {
        let first = try revision("1-aa")
        return Step(name: "receive", leaves: [Place("pulled"): body("theirs")]) { store in
            let received = RemoteRevision(
                documentID: "pulled",
                revisionID: first,
                body: Array(body("theirs").utf8),
                remote: remote
            )
            try store.write { _ = try $0.insert(received, in: .default) }
        }
    }

    /// A local edit, and the remote's in the same transaction.
    private static func conflicted() throws -> Step {
        let (first, second) = try (revision("1-aa"), revision("2-ff"))
        return Step(name: "conflict", leaves: [Place("pulled"): body("ours")]) { store in
            try store.write { writer in
                let ours = Array(body("ours").utf8)
                _ = try writer.save("pulled", in: .default, body: ours)
                let received = RemoteRevision(
                    documentID: "pulled",
                    revisionID: second,
                    history: [first],
                    body: Array(body("theirs again").utf8),
                    remote: remote
                )
                _ = try writer.insert(received, in: .default)
            }
        }
    }

    private static func resolved() -> Step {
        Step(name: "resolve", leaves: [Place("pulled"): body("merged")]) { store in
            try store.write { writer in
                guard let conflict = try writer.conflict(of: "pulled", in: .default) else {
                    throw Unexpected(outcome: "no conflict")
                }
                _ = try writer.resolveConflict(
                    "pulled",
                    in: .default,
                    local: conflict.local.revisionID,
                    remote: conflict.remote.revisionID,
                    decision: .merge(body: Array(body("merged").utf8), hasBlobs: false)
                )
            }
        }
    }

    private static func checkpoint() -> Step {
        Step(name: "checkpoint", leaves: [:]) { store in
            try store.setLocalCheckpoint("cp", Array(#"{"local":7}"#.utf8))
            guard try store.localCheckpoint("cp") == Array(#"{"local":7}"#.utf8) else {
                throw Unexpected(outcome: "the checkpoint is not there")
            }
        }
    }

    private static func collection(_ path: CollectionPath, _ id: DocumentID) -> Step {
        Step(name: "collection", leaves: [Place(id, in: path): body(id.text)]) { store in
            try store.write { writer in
                try writer.createCollection(path)
                _ = try writer.save(id, in: path, body: Array(body(id.text).utf8))
            }
        }
    }

    private static func emptied(_ path: CollectionPath, _ id: DocumentID) -> Step {
        Step(name: "delete collection", leaves: [Place(id, in: path): String?.none]) { store in
            try store.deleteCollection(path)
        }
    }

    static func purge(_ id: DocumentID) -> Step {
        Step(name: "purge \(id)", leaves: [Place(id): String?.none]) { store in
            try store.write { _ = try $0.purge(id, in: .default) }
        }
    }

    private static func compaction() -> Step {
        Step(name: "compact", leaves: [:]) { store in try store.compact() }
    }
}

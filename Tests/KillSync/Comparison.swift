import DivanDatabase
import DivanIndexTrial
import DivanJSON
import DivanRevisions

/// Examines both databases after the last sync: they must be equal, and match the workload.
struct Comparison {
    private(set) var documentCount = 0
    private(set) var liveCount = 0
    private(set) var tombstoneCount = 0
    private(set) var conflictedCount = 0
    private(set) var blobCount = 0
    private(set) var indexCount = 0

    /// - Throws: `KillSyncFailure` that names the first document that is wrong.
    init(_ directory: String, _ workload: Workload, shared: Set<Int>) throws {
        let (stores, contents) = try Self.read(directory)
        defer { for store in stores { try? store.close() } }
        documentCount = contents[0].count
        tombstoneCount = contents[0].values.count { $0.isTombstone }
        liveCount = documentCount - tombstoneCount
        try checkOwn(contents[0], workload)
        try checkConflicts(contents[0], workload, shared)
        for (store, documents) in zip(stores, contents) {
            blobCount = try Self.readBlobs(documents, store)
            indexCount += try IndexTrial(
                store: store,
                questions: Workload.questions,
                text: "text",
                words: Workload.words
            ).check().indexes
        }
    }

    /// How many documents each side has, including deleted ones.
    ///
    /// - Throws: `KillSyncFailure` that names the first one that differs.
    static func equalDocumentCount(_ directory: String) throws -> Int {
        let (stores, contents) = try read(directory)
        defer { for store in stores { try? store.close() } }
        return contents[0].count
    }

    /// Both databases: sound, without conflicts, and equal.
    private static func read(
        _ directory: String
    ) throws -> (stores: [Store], contents: [[DocumentID: StoredDocument]]) {
        let stores = try Side.allCases.map { side in
            try Store.open(
                directory: "\(directory)/\(side.rawValue).cblite2",
                options: StoreOptions(create: false)
            )
        }
        for store in stores {
            try store.checkIntegrity()
            let open = try store.read { try $0.conflicts(in: .default) }
            guard open.isEmpty else { throw KillSyncFailure("conflicts are left: \(open)") }
        }
        let contents = try stores.map { try Self.contents($0) }
        try requireEqual(contents[0], contents[1])
        return (stores, contents)
    }

    /// Every document of a database, including deleted ones.
    static func contents(_ store: Store) throws -> [DocumentID: StoredDocument] {
        var contents: [DocumentID: StoredDocument] = [:]
        var sequence: UInt64 = 0
        while true {
            let batch = try store.read { reader in
                try reader.documents(in: .default, after: sequence, limit: 1_000)
            }
            guard let last = batch.last else { return contents }
            sequence = last.sequence
            for document in batch { contents[document.documentID] = document }
        }
    }

    private static func requireEqual(
        _ first: [DocumentID: StoredDocument],
        _ second: [DocumentID: StoredDocument]
    ) throws {
        for id in Set(first.keys).union(second.keys) {
            guard let mine = first[id], let theirs = second[id] else {
                throw KillSyncFailure("\(id) is on one side only")
            }
            guard mine.revisionID == theirs.revisionID, mine.body == theirs.body else {
                throw KillSyncFailure("\(id): \(mine.revisionID) here, \(theirs.revisionID) there")
            }
        }
    }

    /// Each document of a side exists, in its last version; no other does.
    private func checkOwn(
        _ contents: [DocumentID: StoredDocument],
        _ workload: Workload
    ) throws {
        for side in Side.allCases {
            for index in 0..<workload.count {
                let id = DocumentID(unchecked: workload.documentID(side, index))
                guard let document = contents[id] else { throw KillSyncFailure("\(id) is lost") }
                guard document.isTombstone == workload.isDeleted(index) else {
                    throw KillSyncFailure("\(id): deleted is \(document.isTombstone)")
                }
                if !document.isTombstone { try check(document, side, index, workload) }
            }
        }
        let others = contents.keys.filter { !$0.text.hasPrefix("both-") }.count - 2 * workload.count
        guard others == 0 else { throw KillSyncFailure("\(others) documents are invented") }
    }

    private func check(
        _ document: StoredDocument,
        _ side: Side,
        _ index: Int,
        _ workload: Workload
    ) throws {
        let body = try JSON(parsing: document.body.span)
        let version = workload.versionCount(index)
        var expected: JSONObject = ["index": JSON(index), "version": JSON(version)]
        expected["filler"] = .string(workload.filler(side, index, version))
        expected["text"] = .string(workload.text(index, version))
        expected["digits"] = [JSON(index % 5), JSON(version % 3)]
        if workload.hasBlob(index) {
            let digest = BlobDigest(hashing: workload.blob(side, index, version).span)
            guard body["pic"]?["digest"]?.string == digest.description else {
                throw KillSyncFailure("\(document.documentID) has another blob")
            }
            expected["pic"] = body["pic"]
        }
        guard body == .object(expected) else {
            throw KillSyncFailure("\(document.documentID) is not as it was written last")
        }
    }

    /// A document that both edited exists, as one of them wrote it in one of its lives.
    private mutating func checkConflicts(
        _ contents: [DocumentID: StoredDocument],
        _ workload: Workload,
        _ shared: Set<Int>
    ) throws {
        for number in 0..<Workload.conflictCount {
            let id = DocumentID(unchecked: workload.conflictID(number))
            guard let document = contents[id] else {
                guard !shared.contains(number) else { throw KillSyncFailure("\(id) is lost") }
                continue
            }
            conflictedCount += 1
            let body = try JSON(parsing: document.body.span)
            guard let life = body["life"]?.int.map({ Int($0) }),
                let side = body["side"]?.string.flatMap({ Side(rawValue: $0) }),
                workload.conflicts(ofLife: life).contains(number),
                body["pic"]?["digest"]?.string
                    == BlobDigest(hashing: workload.blob(side, life, number).span).description
            else { throw KillSyncFailure("\(id) has content that was never written: \(body)") }
        }
    }

    /// Reads every blob that a live document refers to; returns how many there are.
    ///
    /// - Throws: `KillSyncFailure` that names a document whose blob does not match its digest.
    static func readBlobs(
        _ contents: [DocumentID: StoredDocument],
        _ store: Store
    ) throws -> Int {
        var count = 0
        for document in contents.values where document.flags.contains(.hasBlobs) {
            guard !document.isTombstone else { continue }
            for digest in try BlobReferences.digests(in: document.body) {
                let content = try store.blobs.read(digest)
                guard BlobDigest(hashing: content.span) == digest else {
                    throw KillSyncFailure("\(document.documentID): its blob is damaged")
                }
                count += 1
            }
        }
        return count
    }
}

import DivanJSON
import DivanStore
import Foundation

/// Collects documents and saves them a thousand at a time, each thousand in one transaction.
struct ImportBatch {
    private struct Item {
        var documentID: String
        var body: [UInt8]
        var hasBlobs: Bool
    }

    private static let itemCount = 1000

    private let store: Store
    private let collection: CollectionPath
    private let idKey: String
    private let keepsID: Bool
    private let keepsGoing: Bool
    private var items: [Item] = []
    private var byteCount: UInt64 = 0

    /// Documents that are saved.
    private(set) var savedCount = 0
    /// Blobs that the saved documents refer to.
    private(set) var blobCount = 0
    /// Documents that were left out.
    private(set) var refusedCount = 0

    init(store: Store, collection: CollectionPath, arguments: Arguments) {
        self.store = store
        self.collection = collection
        idKey = arguments.value("--id-from") ?? "_id"
        keepsID = arguments.has("--keep-id")
        keepsGoing = arguments.has("--keep-going")
    }

    /// How far the import is.
    var reading: ProgressLine.Reading {
        ProgressLine.Reading(documents: UInt64(savedCount + items.count), bytes: byteCount)
    }

    /// Takes a document; one that is not valid ends the import, or is reported and left out.
    mutating func add(_ entry: DocumentReader.Entry, report: (String) -> Void) throws {
        do {
            try items.append(item(entry))
            byteCount += UInt64(entry.bytes.count)
        } catch let failure as Failure {
            guard keepsGoing, failure.kind == .invalid else { throw failure }
            refusedCount += 1
            report(failure.sentence)
        }
        if items.count == Self.itemCount { try commit() }
    }

    /// Saves what was collected.
    mutating func commit() throws {
        try store.write { writer in
            for item in items {
                _ = try writer.save(
                    item.documentID,
                    in: collection,
                    body: item.body,
                    isTombstone: false,
                    hasBlobs: item.hasBlobs,
                    parent: .current
                )
            }
        }
        savedCount += items.count
        items.removeAll(keepingCapacity: true)
    }

    /// Saves what came before an error, and says so in the error's place.
    mutating func close(after error: any Error) throws -> Failure {
        var failure = (error as? Failure) ?? Failure(explaining: error)
        guard failure.kind == .invalid || failure.kind == .interrupted else { return failure }
        try commit()
        failure.sentence += "; \(Numbers.count(savedCount, "document")) before it saved"
        if failure.kind == .invalid {
            failure.sentence += ", the rest not read: mend it, or use --keep-going"
        }
        return failure
    }

    private mutating func item(_ entry: DocumentReader.Entry) throws -> Item {
        do {
            guard var body = try JSON(parsing: entry.bytes).object else {
                throw Failure(kind: .invalid, sentence: "no JSON object: {…}")
            }
            let documentID = try documentID(in: &body, entry)
            let installed = try InlineBlobs.install(.object(body), into: store.blobs)
            try StoreRules.check(documentID: documentID)
            try StoreRules.check(topLevelKeys: body.keys)
            blobCount += installed.count
            let bytes = try installed.body.canonicalBytes()
            return Item(documentID: documentID, body: bytes, hasBlobs: installed.count > 0)
        } catch {
            var failure = (error as? Failure) ?? Failure(explaining: error)
            if error is JSONError { failure.kind = .invalid }
            failure.sentence = "\(entry.place): \(failure.sentence)"
            throw failure
        }
    }

    private func documentID(
        in body: inout JSONObject,
        _ entry: DocumentReader.Entry
    ) throws -> String {
        guard let value = body[idKey] else {
            return entry.fileName ?? UUID().uuidString.lowercased()
        }
        if !keepsID { body[idKey] = nil }
        if let text = value.string { return text }
        if let number = value.int { return String(number) }
        throw Failure(kind: .invalid, sentence: "the ID under \"\(idKey)\" is no text")
    }
}

/// What the store would refuse, found before a batch is built so that the line can be named.
enum StoreRules {
    static func check(documentID: String) throws(Failure) {
        let isPlain = documentID.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard (1...240).contains(documentID.utf8.count), !documentID.hasPrefix("_"), isPlain else {
            throw Failure(
                kind: .invalid,
                sentence: "\"\(documentID.prefix(60))\" is no document ID: 1 to 240 bytes, no "
                    + "leading underscore, no control characters"
            )
        }
    }

    static func check(topLevelKeys: [String]) throws(Failure) {
        for key in ["_id", "_rev", "_deleted"] where topLevelKeys.contains(key) {
            throw Failure(
                kind: .invalid,
                sentence: "the key \"\(key)\" is reserved; rename it, or name it with --id-from"
            )
        }
    }
}

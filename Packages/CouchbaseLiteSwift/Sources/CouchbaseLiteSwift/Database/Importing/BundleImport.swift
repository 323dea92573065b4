import DivanCBLite
import DivanDatabase
import DivanRevisions
import Foundation

/// Imports the documents of a foreign database, a batch at a time.
///
/// The calling thread reads and decodes; another stores what is ready, one transaction per batch. At most a few batches
/// wait in between.
struct BundleImport {
    private let bundle: CBLiteBundle
    private let store: Store
    private let reader: RecordReader

    /// Documents per transaction.
    private static let batchCount = 1_000
    /// Bytes of bodies per transaction.
    private static let batchByteCount = 8 << 20

    init(_ bundle: CBLiteBundle, into store: Store) {
        self.bundle = bundle
        self.store = store
        let owner = SourceID(bytes: bundle.facts.publicUUID) ?? .me
        reader = RecordReader(keys: bundle.facts.keys, owner: owner)
    }

    func run() throws -> DatabaseImport {
        let writer = ImportWriter(store, blobs: bundle.directory + "/Attachments/")
        var report = DatabaseImport()
        if let damage = bundle.damage { report.noteFile(damage) }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        for collection in bundle.collections {
            let path = try path(of: collection)
            report.collections.append("\(path)")
            try store.createCollection(path)
            var batch = ImportBatch(path)
            var last: UInt64 = 0
            try bundle.forEachRecord(in: collection) { record in
                do throws(RecordDamage) {
                    let document = try reader.document(record)
                    if let time = document.expiration, time <= now {
                        report.expiredCount += 1
                        return
                    }
                    let name = document.documentID.text
                    guard document.sequence > last else {
                        let damage = "duplicate sequence \(document.sequence)"
                        return report.note(damage, of: name, in: path, isLost: true)
                    }
                    last = document.sequence
                    if let damage = document.damage {
                        report.note(damage.description, of: name, in: path)
                    }
                    batch.add(document)
                } catch {
                    let name = String(decoding: record.key, as: UTF8.self)
                    let isLost = record.laterSequence == nil
                    report.note(error.description, of: name, in: path, isLost: isLost)
                }
                if batch.documents.count >= Self.batchCount
                    || batch.byteCount >= Self.batchByteCount
                {
                    try writer.take(batch)
                    batch = ImportBatch(path)
                }
            }
            try writer.take(batch)
            try writer.settle()
            try store.write { try $0.importCounter(collection.lastSequence, in: path) }
        }
        try writer.settle(into: &report)
        return report
    }

    private func path(of collection: CBLiteBundle.Collection) throws(CBLiteError) -> CollectionPath
    {
        guard let path = CollectionPath(scope: collection.scope, name: collection.name) else {
            throw CBLiteError.damaged("a collection named \(collection.scope).\(collection.name)")
        }
        return path
    }
}

extension DatabaseImport {
    /// Notes what is wrong with one record, and whether its document is lost.
    mutating func note(
        _ damage: String,
        of name: String,
        in path: CollectionPath,
        isLost: Bool = false
    ) {
        damageCount += 1
        if isLost { lostCount += 1 }
        guard damages.count < CBLiteLimits.toldDamageCount else { return }
        let document = name.isEmpty ? "a document" : "document \"\(name)\""
        damages.append("\(document) in \(path): \(damage)")
    }

    /// Notes that pages of the file are damaged, so that documents may be missing.
    mutating func noteFile(_ damage: String) {
        damageCount += 1
        damages.append("the database file: \(damage); documents may be missing")
    }
}

import DivanJSON
import DivanLog
import DivanStore
import Foundation

/// How much the blobs of a database take.
public struct BlobUsage: Sendable, Hashable {
    /// Contents, each once, however many documents name it.
    public let count: Int
    /// Bytes of all contents.
    public let byteCount: UInt64
}

extension Database {
    /// Counts the blobs whose contents are here, named by a document or not.
    ///
    /// Looks at the size of each, so it takes time with many. An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`; what the file system reports.
    public func blobUsage() throws -> BlobUsage {
        let store = try openStore()
        let usage = try translatingErrors { try store.blobs.usage() }
        return BlobUsage(count: usage.count, byteCount: UInt64(usage.byteCount))
    }

    /// Stores a blob without a document.
    ///
    /// `performMaintenance(type: .compact)` deletes it unless a document refers to it by then.
    ///
    /// - Throws: `CBLError.invalidParameter` for a blob of another database, `notOpen`.
    public func saveBlob(blob: Blob) throws {
        _ = try openStore()
        _ = try blob.install(in: self)
    }

    /// Returns the blob that a dictionary stands for, or `nil` when its content is not here.
    ///
    /// Its length is that of the content where the properties do not say it.
    ///
    /// - Throws: `CBLError.invalidParameter` for properties that fail `Blob.isBlob(properties:)`,
    ///   `notOpen`.
    public func getBlob(properties: [String: Any]) throws -> Blob? {
        guard Blob.isBlob(properties: properties) else {
            throw NSError(
                CBLError.invalidParameter,
                "getBlob(properties:): no blob's properties; check Blob.isBlob first"
            )
        }
        let store = try openStore()
        guard let digest = BlobDigest((properties[Blob.blobDigestProperty] as? String) ?? ""),
            let byteCount = store.blobs.byteCount(digest)
        else { return nil }
        var object = MutableDictionaryObject(data: properties).members.metadataObject()
        if !object.contains(Blob.blobLengthProperty) {
            object[Blob.blobLengthProperty] = JSON(byteCount)
        }
        return Blob(object, in: self)
    }

    /// Does a kind of maintenance; blocks until it is done.
    ///
    /// - Throws: `CBLError.corruptData` when `.integrityCheck` finds damage, or `.reindex` an index that
    ///   does not fit the documents even when it is new; `transactionNotClosed` inside
    ///   ``inBatch(using:)``; `notOpen`.
    public func performMaintenance(type: MaintenanceType) throws {
        let store = try openStore()
        try requireNoBatch("do maintenance")
        let timer = LogTimer()
        try translatingErrors {
            switch type {
            case .compact: noteUnknownFiles(try store.compact().unknownNames)
            case .integrityCheck: try store.checkIntegrity()
            case .optimize: try store.optimize(isThorough: false)
            case .reindex: try store.reindex()
            case .fullOptimize: try store.optimize(isThorough: true)
            }
        }
        Journal.database.info("Database \(name): \(type) took \(timer.text)")
    }

    /// Shrinks the file and deletes blobs that no document refers to.
    @available(*, deprecated, message: "Use performMaintenance(type: .compact).")
    public func compact() throws {
        try performMaintenance(type: .compact)
    }

    private func noteUnknownFiles(_ names: [String]) {
        guard !names.isEmpty else { return }
        Journal.database.warning(
            "Database \(name): \(names.count) files in Attachments are no blobs; left alone"
        )
    }

    /// A stream over a stored blob's file; `nil` when it is not there or the database is closed.
    func blobStream(_ digest: BlobDigest) -> InputStream? {
        guard let store = try? openStore(), let directory = store.blobs.directory,
            store.blobs.contains(digest)
        else { return nil }
        if store.isSealed { return StoredBlobStream(digest, in: store.blobs) }
        // A content that no document names yet may not have its name yet.
        try? store.blobs.settle()
        return InputStream(fileAtPath: directory + "/" + digest.fileName)
    }
}

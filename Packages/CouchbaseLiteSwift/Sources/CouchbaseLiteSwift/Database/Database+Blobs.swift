import DivanDatabase
import DivanJSON
import DivanLog
import Foundation

/// The number and size of a database's blobs.
public struct BlobUsage: Sendable, Hashable {
    /// Number of blobs; equal content counts once.
    public let count: Int
    /// Total bytes.
    public let byteCount: UInt64
}

extension Database {
    /// Counts the stored blobs, including those that no document references.
    ///
    /// Reads the size of each file, so it takes time if there are many. An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`; file system errors.
    public func blobUsage() throws -> BlobUsage {
        let store = try openStore()
        let usage = try translatingErrors { try store.blobs.usage() }
        return BlobUsage(count: usage.count, byteCount: UInt64(usage.byteCount))
    }

    /// Stores a blob without a document.
    ///
    /// `performMaintenance(type: .compact)` deletes it if no document references it.
    ///
    /// - Throws: `CBLError.invalidParameter` for a blob of another database, `notOpen`.
    public func saveBlob(blob: Blob) throws {
        _ = try openStore()
        _ = try blob.install(in: self)
    }

    /// Returns the blob that a dictionary represents, or `nil` if its content is not in this database.
    ///
    /// If the properties contain no length, the blob has the length of the content.
    ///
    /// - Throws: `CBLError.invalidParameter` for properties that fail `Blob.isBlob(properties:)`,
    ///   `notOpen`.
    public func getBlob(properties: [String: Any]) throws -> Blob? {
        guard Blob.isBlob(properties: properties) else {
            throw NSError(
                CBLError.invalidParameter,
                "getBlob(properties:): not the properties of a blob; check Blob.isBlob first"
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

    /// Performs one kind of maintenance; blocks until it is done.
    ///
    /// - Throws: `CBLError.corruptData` if `.integrityCheck` finds damage, or if an index does not match the documents
    ///   after `.reindex`; `transactionNotClosed` inside ``inBatch(using:)``; `notOpen`.
    public func performMaintenance(type: MaintenanceType) throws {
        let store = try openStore()
        try requireNoBatch("perform maintenance")
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

    /// Shrinks the file and deletes blobs that no document references.
    @available(*, deprecated, message: "Use performMaintenance(type: .compact).")
    public func compact() throws {
        try performMaintenance(type: .compact)
    }

    private func noteUnknownFiles(_ names: [String]) {
        guard !names.isEmpty else { return }
        Journal.database.warning(
            "Database \(name): \(names.count) files in Attachments are not blobs; skipped"
        )
    }

    /// A stream over a stored blob's file; `nil` when the file is missing or the database is closed.
    func blobStream(_ digest: BlobDigest) -> InputStream? {
        guard let store = try? openStore(), let directory = store.blobs.directory,
            store.blobs.contains(digest)
        else { return nil }
        if store.isSealed { return StoredBlobStream(digest, in: store.blobs) }
        // A content that no document names may still lack its final file name.
        try? store.blobs.settle()
        return InputStream(fileAtPath: directory + "/" + digest.fileName)
    }
}

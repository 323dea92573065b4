internal import DivanDatabase
internal import Foundation

/// Where the content of a document's blobs is found: new content by its digest, then a database.
struct BlobContents: Sendable {
    /// The database that the document was read from, if any.
    var database: OfficialDatabase?
    /// New content that is not in a database yet.
    var new: [String: NewContent] = [:]

    /// Content that will be stored with the next save of a document that references it.
    enum NewContent: Sendable {
        case bytes(Data)
        /// Already in the blob store of a database, and protected there as long as this value exists.
        case stored(BlobHold, OfficialDatabase)
    }

    /// Adds the contents that a value assigned to a document brings along.
    mutating func adopt(_ other: BlobContents) {
        for (digest, content) in other.new { new[digest] = content }
        if database == nil { database = other.database }
    }

    /// Adds the content of a blob, wherever it is.
    mutating func adopt(_ blob: Blob) {
        if let content = blob.content {
            new[blob.digest] = content
        } else if database == nil {
            database = blob.database
        }
    }
}

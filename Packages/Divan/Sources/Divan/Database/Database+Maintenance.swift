@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
public import Foundation

extension Database {
    /// Deletes blobs that no document references, rewrites bodies with the current compression, and returns free space.
    ///
    /// - Throws: ``DivanError/Code/readOnly``; `notOpen`; `insideTransaction`; file system errors.
    public func compact() throws {
        try DivanError.converting(place: place) { try official.performMaintenance(type: .compact) }
    }

    /// Verifies every document and blob.
    ///
    /// - Throws: ``DivanError/Code/corrupt`` if anything is damaged; `notOpen`.
    public func verify() throws {
        try DivanError.converting(place: place) {
            try official.performMaintenance(type: .integrityCheck)
        }
    }

    /// Encrypts the database with another key, or decrypts it with `nil`.
    ///
    /// - Throws: ``DivanError/Code/busy`` while it is in use elsewhere; `readOnly`; `notOpen`; file system errors.
    public func changeKey(_ key: EncryptionKey?) throws {
        try DivanError.converting(place: place) { try official.changeEncryptionKey(key?.official) }
    }

    /// Stores the content of a file as a blob, in pieces.
    ///
    /// The content is kept as long as the returned blob or a saved document refers to it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - type: The media type, such as `video/mp4`.
    /// - Returns: The blob, for a property of a document.
    /// - Throws: ``DivanError/Code/notFound`` if the file cannot be read; `notOpen`; file system errors.
    public func blob(
        contentsOf file: URL,
        type: String = "application/octet-stream"
    ) throws -> Blob {
        try DivanError.converting(place: file.path) {
            let writer = try store().blobs.writer()
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            while let piece = try handle.read(upToCount: 65_536), !piece.isEmpty {
                try writer.append(Array(piece))
            }
            let hold = try writer.finishHeld()
            return Blob(
                hold.digest,
                byteCount: writer.byteCount,
                type: type,
                content: .stored(hold, official),
                database: official
            )
        }
    }
}

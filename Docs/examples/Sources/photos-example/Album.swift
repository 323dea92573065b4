import CouchbaseLiteSwift
import Foundation

/// Photos in a collection: a document for each, with the picture as a blob.
///
/// The picture is streamed from its file into the database and back, so that its size does not
/// matter; equal pictures are stored once.
struct Album {
    private let database: Database
    private let photos: Collection

    init(directory: String) throws {
        var config = DatabaseConfiguration()
        config.directory = directory
        database = try Database(name: "album", config: config)
        photos = try database.createCollection(name: "photos")
    }

    /// Saves a photo under its file's name.
    func add(_ file: URL) throws -> String {
        let name = file.lastPathComponent
        let photo = try photos.document(id: name)?.toMutable() ?? MutableDocument(id: name)
        let picture = try Blob(contentType: Self.contentType(file), fileURL: file)
        photo.setBlob(picture, forKey: "picture")
        photo.setDate(Date(), forKey: "added")
        try photos.save(document: photo)
        return "\(name): \(picture.length) bytes, \(picture.digest ?? "")"
    }

    /// Describes a photo, without reading the picture.
    func describe(_ name: String) throws -> String? {
        guard let photo = try photos.document(id: name),
            let picture = photo.blob(forKey: "picture")
        else { return nil }
        return "\(name): \(picture.contentType ?? "?"), \(picture.length) bytes"
    }

    /// Writes a picture into a file, a piece at a time; returns `false` if it does not exist.
    ///
    /// The file gets its name when it is complete, so that a full disk leaves the old file unchanged.
    func export(_ name: String, to file: URL) throws -> Bool {
        guard let picture = try photos.document(id: name)?.blob(forKey: "picture"),
            let stream = picture.contentStream
        else { return false }
        let draft = file.appendingPathExtension("part")
        try Data().write(to: draft)
        defer { try? FileManager.default.removeItem(at: draft) }
        let output = try FileHandle(forWritingTo: draft)
        stream.open()
        defer { stream.close() }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var count = stream.read(&piece, maxLength: piece.count)
        while count > 0 {
            try output.write(contentsOf: piece[..<count])
            count = stream.read(&piece, maxLength: piece.count)
        }
        // A negative count means an error; without one, `streamError` would trap.
        guard count == 0 else { throw CocoaError(.fileReadUnknown) }
        try output.synchronize()
        try output.close()
        guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return true
    }

    /// Deletes a photo, and frees the space of pictures that no photo references any more.
    func remove(_ name: String) throws -> Bool {
        guard let photo = try photos.document(id: name) else { return false }
        try photos.delete(document: photo)
        try database.performMaintenance(type: .compact)
        return true
    }

    func close() throws {
        try database.close()
    }

    private static func contentType(_ file: URL) -> String {
        switch file.pathExtension.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }
}

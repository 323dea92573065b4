import Divan
import Foundation

/// Stores photos: add FILE…, show NAME, export NAME FILE, rm NAME.
///
/// Each photo is a document with its picture as a blob. Equal pictures are stored once.
struct Photo: Codable, Identifiable, Sendable {
    /// The name of the file.
    var id: String
    var picture: Blob
    var added = Date()
}

/// Runs a command; returns whether the photo exists.
func run(_ words: [String]) throws -> Bool {
    let db = try Database.open("album", in: URL(filePath: words[0]))
    defer { try? db.close() }
    let photos = try db.collection("photos")
    if words[1] == "add" {
        for file in words[2...].map({ URL(filePath: $0) }) {
            let isJPEG = ["jpg", "jpeg"].contains(file.pathExtension.lowercased())
            let picture = try db.blob(
                contentsOf: file,
                type: isJPEG ? "image/jpeg" : "application/octet-stream"
            )
            try photos.save(Photo(id: file.lastPathComponent, picture: picture))
            print("\(file.lastPathComponent): \(picture.length) bytes, \(picture.digest)")
        }
        return true
    }
    guard let photo = try photos.get(words[2], as: Photo.self) else {
        print("no photo \(words[2])")
        return false
    }
    switch words[1] {
    case "show":
        print("\(photo.id): \(photo.picture.type ?? "?"), \(photo.picture.length) bytes")
    case "export" where words.count == 4:
        try photo.picture.write(to: URL(filePath: words[3]))
    case "rm":
        try photos.delete(photo.id)
        // Frees the space of pictures that no photo references any more.
        try db.compact()
    default: print("add FILE…, show NAME, export NAME FILE, rm NAME")
    }
    return true
}

let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count >= 3 else {
    print("Usage: photos-example DIRECTORY add FILE… | show NAME | export NAME FILE | rm NAME")
    exit(2)
}
do {
    exit(try run(words) ? 0 : 1)
} catch {
    print(error)
    exit(1)
}

import Divan
import Foundation

func savePhoto(of id: String, from file: URL, in photos: DocumentCollection) throws {
    let picture = try photos.database.blob(contentsOf: file, type: "image/jpeg")
    try photos.update(id, default: Document(id: id)) { $0.picture = picture }
}

func copyPicture(of photo: Document, to file: URL) throws {
    try photo.picture?.blob?.write(to: file)
}

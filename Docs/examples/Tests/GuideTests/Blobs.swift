import CouchbaseLiteSwift
import Foundation

func savePhoto(of id: String, from file: URL, in photos: Collection) throws {
    let document = try photos.document(id: id)?.toMutable() ?? MutableDocument(id: id)
    document.setBlob(try Blob(contentType: "image/jpeg", fileURL: file), forKey: "picture")
    try photos.save(document: document)
}

func size(of photo: Document) -> UInt64 {
    photo.blob(forKey: "picture")?.length ?? 0
}

func copyPicture(of photo: Document, to file: URL) throws {
    guard let stream = photo.blob(forKey: "picture")?.contentStream else { return }
    try Data().write(to: file)
    let output = try FileHandle(forWritingTo: file)
    stream.open()
    defer { stream.close() }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var count = stream.read(&piece, maxLength: piece.count)
    while count > 0 {
        try output.write(contentsOf: piece[..<count])
        count = stream.read(&piece, maxLength: piece.count)
    }
    guard count == 0 else { throw CocoaError(.fileReadUnknown) }
    try output.close()
}

func pullWithoutPictures(_ photos: Collection, from url: URL) async throws -> Replicator {
    var config = ReplicatorConfiguration(
        collections: [CollectionConfiguration(collection: photos)],
        target: URLEndpoint(url: url)
    )
    config.replicatorType = .pull
    config.blobs = .upTo(20_000)  // small ones are included
    let replicator = Replicator(config: config)
    try await replicator.run()
    return replicator
}

func show(_ photo: Document, _ display: (Data) -> Void) async throws {
    guard let picture = photo.blob(forKey: "picture") else { return }
    if !picture.isHere {
        try await picture.fetch { print($0.receivedByteCount, "of", $0.totalByteCount) }
    }
    if let content = picture.content { display(content) }
}

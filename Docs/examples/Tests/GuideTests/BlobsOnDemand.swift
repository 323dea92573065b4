import CouchbaseLiteSwift
import Foundation

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

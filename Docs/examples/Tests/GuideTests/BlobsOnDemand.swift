import Divan
import Foundation

func pullWithoutPictures(_ album: Database, from url: URL) async throws -> Sync {
    // Small ones are included.
    let options = Sync.Options(blobs: .upTo(byteCount: 20_000))
    let sync = Sync(album, with: url, direction: .pull, options: options)
    try await sync.run()
    return sync
}

func show(_ photo: Document, _ sync: Sync, _ display: (Data) -> Void) async throws {
    guard let picture = photo.picture?.blob else { return }
    try await picture.fetch(from: sync) { print($0, "of", picture.length) }
    display(try await picture.data())
}

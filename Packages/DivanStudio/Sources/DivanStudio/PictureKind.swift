import DivanDatabase

/// Pictures that a browser displays and that cannot run code; SVG is excluded.
enum PictureKind: String {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"

    /// Examines the first bytes of a blob; `nil` for anything else, and for a missing blob.
    init?(of digest: BlobDigest, in blobs: BlobStore) throws {
        guard blobs.contains(digest) else { return nil }
        self.init(try blobs.reader(digest).read(upTo: 12))
    }

    init?(_ start: [UInt8]) {
        switch start {
        case _ where start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]):
            self = .png
        case _ where start.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
        case _ where start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8):
            self = .gif
        case _
        where start.starts(with: "RIFF".utf8) && start.dropFirst(8).starts(with: "WEBP".utf8):
            self = .webp
        default: return nil
        }
    }
}

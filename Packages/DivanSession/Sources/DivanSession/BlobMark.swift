/// Tells from the bytes of a body whether it names blobs.
enum BlobMark {
    // Canonical JSON writes the mark in one way only, and inside a string its quotation marks
    // would be escaped; so a search of bytes is exact (`blobs.md` §1).
    private static let mark = Array(#""@type":"blob""#.utf8)

    /// Whether canonical JSON holds a blob's metadata.
    static func occurs(in body: [UInt8]) -> Bool {
        body.firstRange(of: mark) != nil
    }
}

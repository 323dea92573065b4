/// A sealed file being read: each chunk is opened when a part of it is asked for.
final class SealedBlobSource: BlobSource {
    let byteCount: Int
    private let file: BlobFileSource
    private let digest: BlobDigest
    private let opener: any ContentOpener
    private let path: String
    private var offset = 0
    // The chunk that was opened last.
    private var chunk: (number: Int, content: [UInt8])?

    /// - Throws: `corrupt` for a file that the key does not open, or that is not this content.
    init(
        _ file: BlobFileSource,
        _ digest: BlobDigest,
        sealing: any StoreSealing,
        path: String
    ) throws(StoreError) {
        self.file = file
        self.digest = digest
        self.path = path
        guard let byteCount = sealing.contentByteCount(ofFile: file.byteCount) else {
            throw StoreError(
                .corrupt("blob \(digest): no content has a file of this size"),
                at: path
            )
        }
        self.byteCount = byteCount
        let head = try file.read(0..<sealing.headByteCount)
        let end = try file.read(file.byteCount - sealing.endByteCount..<file.byteCount)
        do {
            opener = try sealing.opener(
                head: head,
                end: end,
                fileByteCount: file.byteCount,
                digest: digest
            )
        } catch {
            throw StoreError(.corrupt("blob \(digest): \(error)"), at: path)
        }
    }

    func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        guard offset < byteCount, limit > 0 else { return [] }
        let number = offset / opener.chunkByteCount
        let content = try open(number)
        let start = offset - number * opener.chunkByteCount
        let piece = Array(content[min(start, content.count)...].prefix(limit))
        offset += piece.count
        return piece
    }

    func seek(to offset: Int) {
        self.offset = max(offset, 0)
    }

    private func open(_ number: Int) throws(StoreError) -> [UInt8] {
        if let chunk, chunk.number == number { return chunk.content }
        guard let place = opener.place(ofChunk: number) else { return [] }
        let sealed = try file.read(place)
        do {
            let content = try opener.open(sealed.span, number: number)
            chunk = (number, content)
            return content
        } catch {
            throw StoreError(.corrupt("blob \(digest): \(error)"), at: path)
        }
    }
}

/// A sealed file that becomes a content.
final class SealedBlobSink: BlobSink {
    private let file: BlobFileSink
    private let sealer: any ContentSealer
    private let path: String

    init(_ file: BlobFileSink, sealing: any StoreSealing, path: String) throws(StoreError) {
        self.file = file
        self.path = path
        do {
            sealer = try sealing.sealer()
        } catch {
            file.discard()
            throw StoreError(wrapping: error, at: path)
        }
    }

    func append(_ piece: Span<UInt8>) throws(StoreError) {
        let sealed: [UInt8]
        do {
            sealed = try sealer.append(piece)
        } catch {
            file.discard()
            throw StoreError(wrapping: error, at: path)
        }
        if !sealed.isEmpty { try file.append(sealed.span) }
    }

    func store(as digest: BlobDigest) throws(StoreError) {
        let end: [UInt8]
        do {
            end = try sealer.finish(digest: digest)
        } catch {
            file.discard()
            throw StoreError(wrapping: error, at: path)
        }
        try file.append(end.span)
        try file.store(as: digest)
    }

    func discard() {
        file.discard()
    }
}

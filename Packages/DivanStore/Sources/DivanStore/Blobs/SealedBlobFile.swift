/// A sealed file being read: each chunk is decrypted when a part of it is requested.
final class SealedBlobSource: BlobSource {
    let byteCount: Int
    private let file: BlobFileSource
    private let digest: BlobDigest
    private let opener: any ContentOpener
    private let path: String
    private var offset = 0
    // The decrypted chunk from which a part was read last.
    private var chunk: (number: Int, content: [UInt8])?
    // The sealed chunk that was read last; kept so that its memory is reused.
    private var sealed: [UInt8] = []

    /// - Throws: `corrupt` for a file that the key does not open, or that is not this blob.
    init(
        _ file: BlobFileSource,
        _ digest: BlobDigest,
        sealing: any BlobSealing,
        path: String
    ) throws(StoreError) {
        self.file = file
        self.digest = digest
        self.path = path
        guard let byteCount = sealing.contentByteCount(ofFile: file.byteCount) else {
            throw StoreError(
                .corrupt("blob \(digest): invalid file size"),
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
        let size = opener.chunkByteCount
        let (number, skipped) = offset.quotientAndRemainder(dividingBy: size)
        // Whole chunks are decrypted directly into the result, without another copy.
        let rest = byteCount - offset
        let wholeCount = rest <= limit ? rest : limit / size * size
        let piece: [UInt8]
        if skipped == 0, wholeCount > 0 {
            piece = try contents(from: number, byteCount: wholeCount)
        } else {
            let content = try content(of: number)
            piece = Array(content[min(skipped, content.count)...].prefix(limit))
        }
        offset += piece.count
        return piece
    }

    func seek(to offset: Int) {
        self.offset = max(offset, 0)
    }

    private func content(of number: Int) throws(StoreError) -> [UInt8] {
        if let chunk, chunk.number == number { return chunk.content }
        let rest = byteCount - number * opener.chunkByteCount
        let content = try contents(from: number, byteCount: min(rest, opener.chunkByteCount))
        chunk = (number, content)
        return content
    }

    /// The contents of consecutive chunks that hold `byteCount` bytes together.
    private func contents(from first: Int, byteCount: Int) throws(StoreError) -> [UInt8] {
        var contents: [UInt8] = []
        contents.reserveCapacity(byteCount)
        var number = first
        while contents.count < byteCount {
            try open(number, into: &contents)
            number += 1
        }
        return contents
    }

    /// Decrypts one chunk; each holds at least one byte of the content.
    private func open(
        _ number: Int,
        into contents: inout [UInt8]
    ) throws(StoreError) {
        guard let place = opener.place(ofChunk: number) else {
            throw StoreError(.corrupt("blob \(digest): chunk \(number) is missing"), at: path)
        }
        try file.read(place, into: &sealed)
        let chunk = sealed
        do {
            try opener.open(chunk.span, number: number, into: &contents)
        } catch {
            throw StoreError(.corrupt("blob \(digest): \(error)"), at: path)
        }
    }
}

/// A sealed file that becomes a blob.
final class SealedBlobSink: BlobSink {
    private let file: BlobFileSink
    private let sealer: any ContentSealer
    private let path: String
    // What is written next; kept so that its memory is reused.
    private var sealed: [UInt8] = []

    init(_ file: BlobFileSink, sealing: any BlobSealing, path: String) throws(StoreError) {
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
        sealed.removeAll(keepingCapacity: true)
        do {
            try sealer.append(piece, into: &sealed)
        } catch {
            file.discard()
            throw StoreError(wrapping: error, at: path)
        }
        let ready = sealed
        if !ready.isEmpty { try file.append(ready.span) }
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

import DivanCrypto
import DivanSeal

/// However an encrypted blob is changed, it opens as it was or not at all.
enum SealedBlobs: FuzzTarget {
    static let name = "sealed-blobs"

    static func violation(of input: [UInt8]) -> String? {
        guard let honest = try? UndamagedSample.shared.get() else { return "nothing was encrypted" }
        var reader = InputReader(input)
        // Every fourth input is a file by itself.
        let file =
            reader.byte() & 3 == 3 ? reader.remainder() : FileEdits.apply(&reader, to: honest.file)
        let content: [UInt8]
        do throws(SealError) {
            content = try opened(file, honest)
        } catch {
            if file == honest.file { return "as it was, and refused: \(error)" }
            return error.description.isEmpty ? "an error without a word" : nil
        }
        return content == honest.content ? nil : "\(content.count) bytes that were never encrypted"
    }

    private static func opened(
        _ file: [UInt8],
        _ honest: UndamagedSample
    ) throws(SealError) -> [UInt8] {
        let opener = try BlobOpener(
            head: Array(file.prefix(BlobLayout.headByteCount)),
            end: Array(file.suffix(BlobLayout.endByteCount)),
            fileByteCount: file.count,
            digest: SHA1.digest(of: honest.content.span),
            seal: honest.seal
        )
        var content: [UInt8] = []
        for number in 0..<opener.layout.chunkCount {
            guard let place = opener.layout.place(ofChunk: number) else { throw .damaged }
            guard place.upperBound <= file.count else { throw .damaged }
            let chunk = Array(file[place])
            content += try opener.open(chunk.span, number: number)
        }
        return content
    }

    static func seeds() throws -> [[UInt8]] {
        let honest = try UndamagedSample.shared.get()
        let places = [0, 3, 4, 8, 24, 65_576, 65_560, honest.file.count - 16]
        var seeds: [[UInt8]] = [[0], [3] + Array(honest.file.prefix(40))]
        for place in places { seeds += FileEdits.seeds(at: place).map { [0] + $0 } }
        return seeds
    }
}

/// A blob of two chunks, and its file.
private struct UndamagedSample {
    let seal: Seal
    let content: [UInt8]
    let file: [UInt8]

    static let shared = Swift.Result { try UndamagedSample() }

    private init() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let seal = Seal(key: try SealKey(bytes: key.span))
        let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
        let sealer = try BlobSealer(seal)
        var file = try sealer.append(content.span)
        file += try sealer.finish(digest: SHA1.digest(of: content.span))
        (self.seal, self.content, self.file) = (seal, content, file)
    }
}

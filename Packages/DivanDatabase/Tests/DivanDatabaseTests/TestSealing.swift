import DivanDatabase
import DivanSeal
import DivanSealedSQLite

/// A seal as a store needs it, like the one that `Divan` makes.
///
/// Written twice: neither package knows the other, and tests cannot reach up to where they meet.
struct TestSealing: StoreSealing {
    private let seal: Seal
    private let vfs: SealedVFS

    init(_ byte: UInt8, cipher: SealCipher = .aes256GCM) throws {
        let key = try SealKey(bytes: [UInt8](repeating: byte, count: 32).span)
        seal = Seal(key: key, cipher: cipher)
        vfs = SealedVFS(seal)
    }

    var reservedByteCount: Int32 { SealedVFS.reservedByteCount }
    var headByteCount: Int { BlobLayout.headByteCount }
    var endByteCount: Int { BlobLayout.endByteCount }

    func vfsName(over base: String?) throws -> String { try vfs.name(over: base) }

    func hasSameKey(as other: any StoreSealing) -> Bool {
        (other as? TestSealing).map { seal.key.isSame(as: $0.seal.key) } ?? false
    }

    func contentByteCount(ofFile byteCount: Int) -> Int? {
        BlobLayout(fileByteCount: byteCount)?.byteCount
    }

    func sealer() throws -> any ContentSealer { Sealer(sealer: try BlobSealer(seal)) }

    func opener(
        head: [UInt8],
        end: [UInt8],
        fileByteCount: Int,
        digest: BlobDigest
    ) throws -> any ContentOpener {
        Opener(
            opener: try BlobOpener(
                head: head,
                end: end,
                fileByteCount: fileByteCount,
                digest: digest.bytes,
                seal: seal
            )
        )
    }

    private final class Sealer: ContentSealer {
        private let sealer: BlobSealer
        init(sealer: BlobSealer) { self.sealer = sealer }
        func append(_ piece: Span<UInt8>, into sealed: inout [UInt8]) throws {
            try sealer.append(piece, into: &sealed)
        }

        func finish(digest: BlobDigest) throws -> [UInt8] {
            try sealer.finish(digest: digest.bytes)
        }
    }

    private final class Opener: ContentOpener {
        private let opener: BlobOpener
        init(opener: BlobOpener) { self.opener = opener }
        var chunkByteCount: Int { SealLimits.chunkByteCount }
        func place(ofChunk number: Int) -> Range<Int>? { opener.layout.place(ofChunk: number) }
        func open(
            _ chunk: Span<UInt8>,
            number: Int,
            into content: inout [UInt8]
        ) throws {
            try opener.open(chunk, number: number, into: &content)
        }
    }
}

import DivanCompression
import DivanDelta
import DivanJSON
import DivanLZ4
import DivanTestKit
import DivanZlib
import Testing

/// Old bodies come back byte for byte, whatever they are and whichever codec packs.
@Suite struct BodyArchiveTests {
    /// Packs with each codec and with none; reads all.
    private static var archives: [BodyArchive] {
        [nil, .deflate, .lz4].map {
            BodyArchive(packing: $0, deflate: DeflateCodec(), lz4: LZ4Codec())
        }
    }

    /// About 2 KB of JSON that differs from its neighbours in one number and one text.
    private static func body(_ number: Int) -> [UInt8] {
        let items = (0..<40).map { #""key\#($0)":"a value of some length, number \#($0 * 7)""# }
        let text = #"{"count":\#(number),\#(items.sorted().joined(separator: ","))}"#
        guard let json = try? JSON(parsing: text), let bytes = try? json.canonicalBytes() else {
            return []
        }
        return bytes
    }

    @Test(arguments: UInt64(0)..<200)
    func `every body is restored unchanged`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let base = JSON.arbitraryBody(using: &generator)
        let old = seed % 2 == 0 ? base.edited(using: &generator) : .arbitraryBody(using: &generator)
        let bodies = [
            try old.canonicalBytes(), [], [0x80], [0xFF, 0x7B],
            [UInt8].random(count: 300, using: &generator),
        ]
        let beside = try base.canonicalBytes()
        for body in bodies {
            for archive in Self.archives {
                let packed = archive.packed(body, beside: beside)
                #expect(packed.count <= body.count + 1, "seed \(seed)")
                for reader in Self.archives {
                    let unpacked = try reader.unpacked(packed, beside: beside, limit: body.count)
                    #expect(unpacked == body, "seed \(seed)")
                }
            }
        }
    }

    @Test func `a body similar to its neighbor takes only the space of the difference`() throws {
        for archive in Self.archives {
            let packed = archive.packed(Self.body(1), beside: Self.body(2))
            #expect(packed.count < 20)
            let unpacked = try archive.unpacked(packed, beside: Self.body(2), limit: 10_000)
            #expect(unpacked == Self.body(1))
        }
    }

    @Test func `a body unlike its neighbor is compressed`() throws {
        let sizes = Self.archives.map { $0.packed(Self.body(1), beside: Array("{}".utf8)).count }
        let plain = Self.body(1).count
        #expect(sizes[0] == plain && sizes[1] < plain / 2 && sizes[2] < plain / 2)
    }

    /// Spaces and the order of keys would be lost in a delta, and with them the exact bytes.
    @Test func `a body that is not canonical keeps its spaces`() throws {
        let body = Self.body(1) + Array("  ".utf8)
        for archive in Self.archives {
            let packed = archive.packed(body, beside: Self.body(2))
            #expect(try archive.unpacked(packed, beside: Self.body(2), limit: 10_000) == body)
        }
    }

    @Test func `a missing codec is reported by its number`() throws {
        let packed = Self.archives[2].packed(Self.body(1), beside: Array("{}".utf8))
        #expect(throws: BodyArchiveError.unknownCodec(number: 2)) {
            try BodyArchive.deltas.unpacked(packed, beside: [], limit: 10_000)
        }
    }

    @Test func `a codec number that is out of range is rejected`() {
        #expect(BodyArchive.NumberedCodec(number: 0, codec: LZ4Codec()) == nil)
        #expect(BodyArchive.NumberedCodec(number: 64, codec: LZ4Codec()) == nil)
    }

    @Test func `a body that would exceed the limit is rejected`() throws {
        for archive in Self.archives.dropFirst() {
            let body = [UInt8](repeating: 0x20, count: 100_000)
            let packed = archive.packed(body, beside: [])
            #expect(throws: BodyArchiveError.self) {
                try archive.unpacked(packed, beside: [], limit: 99_999)
            }
        }
    }

    /// Any bytes give a body or an error, never a trap, and the archive still works afterwards.
    @Test(arguments: UInt64(0)..<200)
    func `damaged bytes give a body or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let beside = seed % 2 == 0 ? Self.body(2) : Array("{}".utf8)
        for archive in Self.archives {
            var packed = archive.packed(Self.body(1), beside: beside)
            packed[Int.random(in: packed.indices, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
            let damaged = try? archive.unpacked(packed, beside: beside, limit: 10_000)
            #expect((damaged?.count ?? 0) <= 10_000 + packed.count, "seed \(seed)")
            let sound = archive.packed(Self.body(1), beside: beside)
            #expect(try archive.unpacked(sound, beside: beside, limit: 10_000) == Self.body(1))
        }
    }
}

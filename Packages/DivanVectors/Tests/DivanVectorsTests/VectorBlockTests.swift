import DivanTestKit
import Testing

@testable import DivanVectors

/// Blocks and codecs as bytes of a file: intact, damaged, and made by an attacker.
@Suite struct VectorBlockTests {
    private static let encodings: [VectorEncoding] = [
        .float32, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4),
        .product(subquantizers: 3, bits: 4), .product(subquantizers: 2, bits: 7),
    ]

    private func codec(_ encoding: VectorEncoding, _ metric: DistanceMetric) throws -> VectorCodec {
        let vectors = ClusteredVectors(count: 60, dimensions: 6, queries: 0, seed: 4)
        var training = try CodecTraining(
            encoding,
            dimensions: 6,
            metric: metric,
            sample: vectors.floats,
            seed: 1
        )
        return try training.finish()
    }

    private func block(
        of codec: VectorCodec,
        count: Int = 5
    ) throws -> (block: [UInt8], codes: [UInt8]) {
        var source = NormalNumbers(seed: 9)
        var codes: [UInt8] = []
        for _ in 0..<count {
            try codec.encode(source.vector(codec.dimensions, scale: 1).span, appendingTo: &codes)
        }
        return (try VectorBlock.make(codes.span.bytes, of: codec), codes)
    }

    // MARK: Intact

    @Test(arguments: encodings, DistanceMetric.allCases)
    func `a codec round-trips`(
        encoding: VectorEncoding,
        metric: DistanceMetric
    ) throws {
        let codec = try codec(encoding, metric)
        let read = try VectorCodec(bytes: codec.bytes.span.bytes)
        #expect(read.encoding == encoding)
        #expect(read.metric == metric)
        #expect(read.dimensions == 6)
        #expect(read.quantizer == codec.quantizer)
        #expect(read.bytes == codec.bytes)
    }

    @Test(arguments: encodings)
    func `a block contains the codes unchanged`(encoding: VectorEncoding) throws {
        let codec = try codec(encoding, .euclidean)
        for count in [0, 1, 64] {
            let (block, codes) = try block(of: codec, count: count)
            let range = try VectorBlock.codes(in: block.span.bytes, of: codec)
            #expect(Array(block[range]) == codes)
            #expect(range.lowerBound == VectorBlock.headByteCount)
        }
    }

    @Test
    func `centroids are stored in blocks of at most 64 KiB`() throws {
        var source = NormalNumbers(seed: 3)
        for (count, dimensions) in [(1, 1), (33, 384), (700, 64), (9, 4096)] {
            let rows = source.vector(count * dimensions, scale: 1)
            let centroids = try Centroids(rows, dimensions: dimensions)
            let blocks = try centroids.blocks
            #expect(blocks.allSatisfy { $0.count <= VectorLimits.blockByteCount })
            #expect(try Centroids(blocks: blocks, dimensions: dimensions) == centroids)
            #expect(centroids[count - 1] == Array(rows.suffix(dimensions)))
        }
    }

    /// The format does not change unnoticed, and is the same on every machine.
    @Test
    func `the bytes of a codec and a block match the documentation`() throws {
        let codec = try VectorCodec(dimensions: 2, metric: .cosine)
        #expect(Array(codec.bytes[8...]) == [1, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0])
        var codes: [UInt8] = []
        try codec.encode([1, -2].span, appendingTo: &codes)
        let block = try VectorBlock.make(codes.span.bytes, of: codec)
        #expect(Array(block[8...]) == [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0])
        #expect(Array(block[..<8]) == [33, 130, 162, 181, 102, 108, 195, 49])
    }

    // MARK: Damaged

    @Test(arguments: encodings)
    func `every changed bit and every missing byte is detected`(encoding: VectorEncoding) throws {
        let codec = try codec(encoding, .cosine)
        for bytes in [try block(of: codec).block, codec.bytes] {
            let isBlock = bytes != codec.bytes
            func read(_ bytes: [UInt8]) throws(VectorError) {
                if isBlock {
                    _ = try VectorBlock.codes(in: bytes.span.bytes, of: codec)
                } else {
                    _ = try VectorCodec(bytes: bytes.span.bytes)
                }
            }
            try read(bytes)
            for bit in 0..<bytes.count * 8 {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                #expect(isDamage { () throws(VectorError) in try read(damaged) }, "bit \(bit)")
            }
            for count in 0..<bytes.count {
                let short = Array(bytes[..<count])
                #expect(isDamage { () throws(VectorError) in try read(short) }, "\(count) bytes")
            }
            #expect(isDamage { () throws(VectorError) in try read(bytes + [0]) })
        }
    }

    @Test
    func `a block of another encoding or of other dimensions is refused`() throws {
        let (block, _) = try block(of: try codec(.scalar(bits: 8), .dot))
        for encoding: VectorEncoding in [.float32, .scalar(bits: 4)] {
            let other = try codec(encoding, .dot)
            #expect(
                isDamage { () throws(VectorError) in
                    _ = try VectorBlock.codes(in: block.span.bytes, of: other)
                }
            )
        }
        #expect(
            isDamage { () throws(VectorError) in _ = try Centroids(blocks: [block], dimensions: 6) }
        )
        let centroids = try Centroids([1, 2, 3, 4], dimensions: 4).blocks
        #expect(
            isDamage { () throws(VectorError) in
                _ = try Centroids(blocks: centroids, dimensions: 3)
            }
        )
    }

    @Test
    func `an empty block of another encoding is refused`() throws {
        for encoding in Self.encodings {
            let (block, _) = try block(of: try codec(encoding, .dot), count: 0)
            for other in Self.encodings where other != encoding {
                let codec = try codec(other, .dot)
                #expect(
                    isDamage { () throws(VectorError) in
                        _ = try VectorBlock.codes(in: block.span.bytes, of: codec)
                    }
                )
            }
        }
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, -1])
    func `a codec whose last parameter is invalid is refused`(parameter: Float) throws {
        let bytes = try codec(.scalar(bits: 8), .dot).bytes
        let damaged = CheckedBytes.make {
            $0 += bytes[CheckedBytes.headByteCount..<bytes.count - 4]
            $0.append(float: parameter)
        }
        #expect(
            isDamage { () throws(VectorError) in _ = try VectorCodec(bytes: damaged.span.bytes) }
        )
    }

    /// With a correct checksum: what is accepted must be usable without a trap.
    @Test
    func `malicious bytes are refused or harmless`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        let codecs = try Self.encodings.map { try codec($0, .cosine) }
        var acceptedCount = 0
        for _ in 0..<3000 {
            guard let codec = codecs.randomElement(using: &generator) else { continue }
            var content = Array(codec.bytes[CheckedBytes.headByteCount...])
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = min(content.count - 1, Int.random(in: 0...30, using: &generator))
                content[place] =
                    [0, 1, 2, 3, 4, 6, 8, 127, 255].randomElement(using: &generator) ?? 0
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                content.removeLast(Int.random(in: 0...content.count, using: &generator))
            }
            let bytes = CheckedBytes.make { $0 += content }
            guard let read = try? VectorCodec(bytes: bytes.span.bytes) else { continue }
            acceptedCount += 1
            try use(read, &generator)
        }
        #expect(acceptedCount > 100, "seed \(seed)")
    }

    /// Scans and decodes codes that are random bytes.
    private func use(_ codec: VectorCodec, _ generator: inout SeededGenerator) throws {
        let codes = [UInt8].random(count: 7 * codec.codeByteCount, using: &generator)
        let query = (0..<codec.dimensions).map { _ in Float.random(in: -9...9, using: &generator) }
        var distances = [Float](repeating: 0, count: 7)
        let scanner = try codec.scanner(for: query.span)
        try scanner.distances(to: codes.span.bytes, into: distances.mutableSpan)
        let first = codes.span.bytes.extracting(0..<codec.codeByteCount)
        #expect(try codec.decode(first).count == codec.dimensions)
        var code: [UInt8] = []
        try codec.encode(query.span, appendingTo: &code)
        #expect(code.count == codec.codeByteCount)
    }

    private func isDamage(_ read: () throws(VectorError) -> Void) -> Bool {
        do throws(VectorError) {
            try read()
            return false
        } catch .damaged {
            return true
        } catch {
            return false
        }
    }
}

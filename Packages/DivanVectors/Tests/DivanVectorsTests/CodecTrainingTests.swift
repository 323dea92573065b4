import DivanVectors
import Foundation
import Testing

/// The training of codecs, in steps and on several threads.
@Suite struct CodecTrainingTests {
    private static let encodings: [VectorEncoding] = [
        .float32, .scalar(bits: 6), .product(subquantizers: 4, bits: 5),
    ]
    private static let sample = ClusteredVectors(count: 400, dimensions: 24, queries: 0, seed: 9)

    private func training(
        _ encoding: VectorEncoding,
        _ sample: [Float] = sample.floats,
        dimensions: Int = 24,
        metric: DistanceMetric = .cosine
    ) throws(VectorError) -> CodecTraining {
        try CodecTraining(encoding, dimensions: dimensions, metric: metric, sample: sample, seed: 7)
    }

    @Test(arguments: encodings)
    func `the same sample and seed give the same codec on any number of threads`(
        encoding: VectorEncoding
    ) throws {
        var alone = try training(encoding)
        var together = try training(encoding)
        let codec = try alone.finish()
        let other = try together.finish { count, body in
            DispatchQueue.concurrentPerform(iterations: count, execute: body)
        }
        #expect(codec.bytes == other.bytes)
        #expect(codec.encoding == encoding)
    }

    @Test
    func `a cancelled training can continue and gives the same codec`() throws {
        let encoding = VectorEncoding.product(subquantizers: 4, bits: 5)
        var expected = try training(encoding)
        var interrupted = try training(encoding)
        var answers = [false, false, false, true]
        #expect(throws: VectorError.cancelled) {
            try interrupted.finish(isCancelled: { answers.removeFirst() })
        }
        #expect(throws: VectorError.cancelled) { try interrupted.result() }
        #expect(try interrupted.finish().bytes == expected.finish().bytes)
    }

    @Test
    func `a large sample is read in several steps`() throws {
        let large = Array(repeatElement(Self.sample.floats, count: 450).joined())
        var training = try training(.scalar(bits: 8), large, metric: .euclideanSquared)
        var stepCount = 1
        while try !training.step() { stepCount += 1 }
        #expect(stepCount == 2)
        var once = try self.training(.scalar(bits: 8), metric: .euclideanSquared)
        let (codec, expected) = (try training.result(), try once.finish())
        // The ranges of a repeated sample are those of the sample.
        var codes: [UInt8] = []
        try codec.encode(Self.sample[3].span, appendingTo: &codes)
        try expected.encode(Self.sample[3].span, appendingTo: &codes)
        let size = codec.codeByteCount
        #expect(codes[..<(size - 4)] == codes[size..<(2 * size - 4)])
    }

    @Test
    func `invalid samples are refused`() {
        #expect(throws: VectorError.sample(floatCount: 0)) { try training(.float32, []) }
        #expect(throws: VectorError.sample(floatCount: 25)) {
            try training(.float32, [Float](repeating: 1, count: 25))
        }
        #expect(throws: VectorError.dimensions(0)) {
            try training(.float32, [1], dimensions: 0)
        }
        #expect(throws: VectorError.encoding(.scalar(bits: 7), dimensions: 24)) {
            try training(.scalar(bits: 7))
        }
        #expect(throws: VectorError.notFinite(position: 1)) {
            try training(.float32, [1, .nan], dimensions: 2)
        }
        let large = [Float](repeating: 0, count: (64 << 20) + 24)
        #expect(
            throws: VectorError.trainingMemory(
                byteCount: large.count * 4,
                limit: VectorLimits.trainingByteCount
            )
        ) {
            try training(.float32, large, dimensions: 1)
        }
    }
}

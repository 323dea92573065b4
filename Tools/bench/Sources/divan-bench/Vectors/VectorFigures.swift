import CDivanFloors
import DivanVectors

/// Vectors per second of each set of kernels, compared with reading the same bytes from memory.
///
/// A scan of an index reads each byte of its codes once, so it cannot be faster than that. The vectors do not fit
/// into the nearest caches.
enum VectorFigures {
    private static let dimensions = 384
    private static let sampleCount = 6_000
    private static let vectorCount = 120_000
    private static let encodings: [VectorEncoding] = [
        .float32, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4),
        .product(subquantizers: 48, bits: 8),
    ]

    static func measure(into report: inout Report) throws {
        let sample = vectors(sampleCount)
        for encoding in encodings {
            for kernels in NativeKernels.all {
                var training = try CodecTraining(
                    encoding,
                    dimensions: dimensions,
                    metric: .euclideanSquared,
                    sample: sample,
                    seed: 1,
                    kernels: kernels
                )
                try scan(with: try training.finish(), kernels, sample, into: &report)
            }
        }
        try encode(sample, into: &report)
        try train(sample, into: &report)
    }

    private static func scan(
        with codec: VectorCodec,
        _ kernels: NativeKernels,
        _ sample: [Float],
        into report: inout Report
    ) throws {
        var some: [UInt8] = []
        for start in stride(from: 0, to: sample.count, by: dimensions) {
            let vector = sample.span.extracting(start..<start + dimensions)
            try codec.encode(vector, appendingTo: &some)
        }
        let codes = Array(repeatElement(some, count: vectorCount / sampleCount).joined())
        let scanner = try codec.scanner(for: sample.span.extracting(first: dimensions))
        // As an index reads them: 64 codes at a time.
        let blockByteCount = 64 * codec.codeByteCount
        var distances = [Float](repeating: 0, count: 64)
        var (ours, floor, total) = (Double.infinity, Double.infinity, UInt64(0))
        for _ in 0..<5 {
            ours = min(
                ours,
                try Stopwatch.bestWork(of: 1) {
                    for start in stride(from: 0, to: codes.count, by: blockByteCount) {
                        let block = codes.span.bytes.extracting(start..<start + blockByteCount)
                        try scanner.distances(to: block, into: distances.mutableSpan)
                    }
                }
            )
            floor = min(
                floor,
                // The bytes are read during the call.
                Stopwatch.bestWork(of: 1) { total &+= floor_read(codes, codes.count) }
            )
        }
        guard total > 0 else { throw BenchFailure("all codes are zero") }
        let millions = Double(vectorCount) / 1e6
        report.add(
            Figure(
                name: "scan of \(dimensions) dimensions, \(codec.encoding), \(kernels.name)",
                unit: "M vectors/s",
                ours: millions / ours,
                floor: millions / floor,
                floorName: "reading the bytes"
            )
        )
    }

    private static func encode(_ sample: [Float], into report: inout Report) throws {
        for encoding in encodings.dropFirst() {
            var training = try CodecTraining(
                encoding,
                dimensions: dimensions,
                metric: .euclideanSquared,
                sample: sample,
                seed: 1
            )
            let codec = try training.finish()
            let count = 2_000
            let seconds = try Stopwatch.bestWork(of: 3) {
                var codes: [UInt8] = []
                for number in 0..<count {
                    let floats = number * dimensions..<(number + 1) * dimensions
                    try codec.encode(sample.span.extracting(floats), appendingTo: &codes)
                }
            }
            report.add(
                Figure(
                    name: "encoding of \(dimensions) dimensions, \(encoding)",
                    unit: "k vectors/s",
                    ours: Double(count) / seconds / 1e3,
                    floorName: "–"
                )
            )
        }
    }

    /// One round of k-means with 256 centroids.
    private static func train(_ sample: [Float], into report: inout Report) throws {
        let seconds = try Stopwatch.bestWork(of: 3) {
            var training = try KMeans(
                sample,
                dimensions: dimensions,
                centroids: 256,
                seed: 1,
                rounds: 1
            )
            _ = try training.finish()
        }
        report.add(
            Figure(
                name: "k-means, 256 centroids of \(dimensions) dimensions, one round",
                unit: "k vectors/s",
                ours: Double(sampleCount) / seconds / 1e3,
                floorName: "–"
            )
        )
    }

    /// Vectors around 100 centres; the speed does not depend on their values.
    private static func vectors(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        func next() -> Float {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(state >> 8) / Float(1 << 24) - 0.5
        }
        let centres = (0..<100 * dimensions).map { _ in next() }
        return (0..<count * dimensions).map { place in
            centres[place % (100 * dimensions)] + 0.2 * next()
        }
    }
}

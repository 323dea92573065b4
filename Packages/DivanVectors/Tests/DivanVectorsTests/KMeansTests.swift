import Dispatch
import DivanTestKit
import Synchronization
import Testing

@testable import DivanVectors

/// Centroids of samples with known structure, and of difficult ones.
@Suite struct KMeansTests {
    @Test
    func `the centroids of separate clusters are their means`() throws {
        let centres: [Float] = [-10, 0, 10, 20]
        var source = NormalNumbers(seed: 4)
        let sample = (0..<400).flatMap { number in
            [centres[number % 4] + 0.1 * source.next(), 5 + 0.1 * source.next()]
        }
        var training = try KMeans(sample, dimensions: 2, centroids: 4, seed: 1)
        let centroids = try training.finish()
        let found = (0..<4).map { centroids[$0] }.sorted { $0[0] < $1[0] }
        for (number, centroid) in found.enumerated() {
            let members = (0..<100).map { sample[($0 * 4 + number) * 2] }
            #expect(abs(centroid[0] - members.reduce(0, +) / 100) < 1e-4)
            #expect(abs(centroid[1] - 5) < 0.1)
        }
    }

    @Test(arguments: 0..<8)
    func `the error never grows from one round to the next`(number: Int) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        let vectors = ClusteredVectors(count: 1500, dimensions: 9, queries: 0, seed: seed)
        var training = try KMeans(
            vectors.floats,
            dimensions: 9,
            centroids: 60,
            seed: seed,
            rounds: 30
        )
        _ = try training.finish()
        #expect(training.errors.count > 1)
        for (error, next) in zip(training.errors, training.errors.dropFirst()) {
            #expect(next <= error * 1.00001, "seed \(seed)")
        }
    }

    @Test
    func `training ends when no vector changes its centroid`() throws {
        let sample: [Float] = [0, 1, 10, 11]
        var training = try KMeans(sample, dimensions: 1, centroids: 2, seed: 3, rounds: 1000)
        let centroids = try training.finish()
        #expect(training.errors.count < 10)
        #expect([centroids[0], centroids[1]].sorted { $0[0] < $1[0] } == [[0.5], [10.5]])
        #expect(training.isFinished)
    }

    @Test
    func `centroids that no longer change are the means of their vectors`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        let vectors = ClusteredVectors(count: 800, dimensions: 5, queries: 0, seed: seed)
        var training = try KMeans(
            vectors.floats,
            dimensions: 5,
            centroids: 25,
            seed: seed,
            rounds: 1000
        )
        let centroids = try training.finish()
        let (positions, _) = try centroids.nearest(to: vectors.floats.span)
        for position in 0..<centroids.count {
            let members = positions.indices.filter { positions[$0] == position }.map { vectors[$0] }
            for dimension in 0..<5 {
                let mean = members.reduce(0) { $0 + $1[dimension] } / Float(members.count)
                #expect(abs(centroids[position][dimension] - mean) < 1e-4, "seed \(seed)")
            }
        }
    }

    @Test
    func `the same seed gives the same centroids with any kernels and any threads`() throws {
        let vectors = ClusteredVectors(count: 1500, dimensions: 70, queries: 0, seed: 8)
        func train(
            _ seed: UInt64,
            _ kernels: NativeKernels,
            _ run: Concurrently
        ) throws -> Centroids {
            var training = try KMeans(
                vectors.floats,
                dimensions: 70,
                centroids: 45,
                seed: seed,
                kernels: kernels
            )
            return try training.finish(concurrently: run)
        }
        let expected = try train(1, .scalar, sequentially)
        for kernels in NativeKernels.all {
            let backwards = try train(1, kernels) { count, body in
                for part in (0..<count).reversed() { body(part) }
            }
            #expect(backwards == expected, "\(kernels.name)")
        }
        let parallel = try train(1, .fastest) { count, body in
            DispatchQueue.concurrentPerform(iterations: count, execute: body)
        }
        #expect(parallel == expected)
        #expect(try train(2, .fastest, sequentially) != expected)
    }

    // MARK: Difficult samples

    @Test
    func `fewer vectors than centroids become centroids themselves`() throws {
        var training = try KMeans([3, 1, 2], dimensions: 1, centroids: 10, seed: 1)
        let centroids = try training.finish()
        #expect(
            (0..<centroids.count).map { centroids[$0] }.sorted { $0[0] < $1[0] } == [[1], [2], [3]]
        )
    }

    @Test
    func `equal vectors become one centroid`() throws {
        let sample = [Float](repeating: 0.1, count: 500)
        var training = try KMeans(sample, dimensions: 5, centroids: 10, seed: 1)
        let centroids = try training.finish()
        #expect(centroids.count == 1)
        #expect(zip(centroids[0], sample).allSatisfy { abs($0 - $1) < 1e-7 })
    }

    @Test
    func `a few different vectors among many equal ones get their own centroids`() throws {
        let sample = [Float](repeating: 7, count: 1000) + [1, 2, 3]
        var training = try KMeans(sample, dimensions: 1, centroids: 20, seed: 5)
        let centroids = try training.finish()
        #expect((0..<centroids.count).map { centroids[$0][0] }.sorted() == [1, 2, 3, 7])
    }

    @Test
    func `centroids that lose their vectors move to distant ones`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            // Clusters of very different sizes, in which updates move centroids far.
            let sample = (0..<120).map { _ in
                Float(Int.random(in: 0...40, using: &generator))
                    * Float.random(in: 0...1, using: &generator)
            }
            let seed = generator.next()
            var training = try KMeans(sample, dimensions: 2, centroids: 12, seed: seed, rounds: 100)
            let centroids = try training.finish()
            let (positions, _) = try centroids.nearest(to: sample.span)
            #expect(Set(positions).count == centroids.count, "seed \(seed)")
        }
    }

    @Test
    func `numbers at the ends of the range of floats do not trap`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        let largest = Float.greatestFiniteMagnitude
        let sample = (0..<600).map { _ in Float.random(in: -1...1, using: &generator) * largest }
        var training = try KMeans(sample, dimensions: 3, centroids: 9, seed: seed)
        let centroids = try training.finish()
        #expect(centroids.panels.allSatisfy { !$0.isNaN }, "seed \(seed)")
    }

    // MARK: Steps

    @Test
    func `the number of multiplications in a step is limited`() throws {
        let vectors = ClusteredVectors(count: 4000, dimensions: 64, queries: 0, seed: 2)
        let kernels = CountingKernels()
        var training = try KMeans(
            Array(repeatElement(vectors.floats, count: 12).joined()),
            dimensions: 64,
            centroids: 700,
            seed: 1,
            rounds: 1,
            kernels: kernels
        )
        var counts: [Int] = []
        repeat {
            counts.append(kernels.count)
        } while try !training.step()
        let most = zip(counts, counts.dropFirst()).map { $1 - $0 }.max() ?? 0
        #expect(counts.count > 10)
        #expect(most <= VectorLimits.stepProductCount)
        #expect(most > VectorLimits.stepProductCount / 2)
    }

    @Test
    func `a cancelled training can continue and gives the same centroids`() throws {
        let vectors = ClusteredVectors(count: 2000, dimensions: 20, queries: 0, seed: 6)
        let expected = try {
            var training = try KMeans(vectors.floats, dimensions: 20, centroids: 30, seed: 1)
            return try training.finish()
        }()
        var training = try KMeans(vectors.floats, dimensions: 20, centroids: 30, seed: 1)
        var answers = [false, false, false, true]
        #expect(throws: VectorError.cancelled) {
            try training.finish(isCancelled: { answers.removeFirst() })
        }
        #expect(throws: VectorError.cancelled) { try training.result() }
        #expect(try training.finish() == expected)
    }

    @Test
    func `invalid training parameters are refused`() throws {
        func training(_ sample: [Float], _ dimensions: Int, _ centroids: Int) throws -> KMeans {
            try KMeans(sample, dimensions: dimensions, centroids: centroids, seed: 1)
        }
        #expect(throws: VectorError.dimensions(0)) { try training([1], 0, 1) }
        #expect(throws: VectorError.centroids(0)) { try training([1], 1, 0) }
        #expect(throws: VectorError.centroids(64_001)) { try training([1], 1, 64_001) }
        #expect(throws: VectorError.sample(floatCount: 3)) { try training([1, 2, 3], 2, 1) }
        #expect(throws: VectorError.sample(floatCount: 0)) { try training([], 2, 1) }
        #expect(throws: VectorError.notFinite(position: 1)) { try training([1, .infinity], 1, 1) }
        let large = [Float](repeating: 0, count: 40 << 20)
        #expect {
            try training(large, 2, 10)
        } throws: { error in
            guard case .trainingMemory(let needed, let limit) = error as? VectorError else {
                return false
            }
            return needed > limit && limit == VectorLimits.trainingByteCount
        }
    }
}

/// Counts the multiplications of the kernels that k-means uses, and does none.
private final class CountingKernels: VectorKernels {
    let name = "counting"
    private let total = Mutex(0)

    var count: Int { total.withLock { $0 } }

    func squaredDistances(
        from query: Span<Float>,
        to rows: RawSpan,
        into distances: consuming MutableSpan<Float>
    ) {
        let count = query.count * distances.count
        total.withLock { $0 += count }
        distances.update(repeating: 1)
    }

    func nearest(
        to points: Span<Float>,
        inPanels panels: Span<Float>,
        dimensions: Int,
        into nearest: consuming MutableSpan<UInt32>,
        distances: consuming MutableSpan<Float>
    ) {
        let count = panels.count * nearest.count
        total.withLock { $0 += count }
        nearest.update(repeating: 0)
        distances.update(repeating: 1)
    }

    // Not used by k-means.

    func products(
        of query: Span<Float>,
        with rows: RawSpan,
        into products: consuming MutableSpan<Float>,
        squaredLengths: consuming MutableSpan<Float>
    ) {}

    func squaredDistances(
        from query: Span<Float>,
        toPanels panels: Span<Float>,
        into distances: consuming MutableSpan<Float>
    ) {}

    func products(
        of query: Span<Float>,
        withPanels panels: Span<Float>,
        into products: consuming MutableSpan<Float>
    ) {}

    func addSums(
        of plane: CodePlane,
        weights: Span<Int16>,
        codes: RawSpan,
        stride: Int,
        to sums: consuming MutableSpan<Int64>
    ) {}

    func sums(
        of table: Span<Float>,
        subquantizers: Int,
        bits: Int,
        codes: RawSpan,
        stride: Int,
        into sums: consuming MutableSpan<Float>
    ) {}
}

internal import Synchronization

/// Runs a closure for the numbers below a count, on any threads, and returns after the last call.
///
/// `DispatchQueue.concurrentPerform(iterations:execute:)` is one; the result of a training does not depend on it.
public typealias Concurrently = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

/// Runs a closure for the numbers below a count, one after another.
public func sequentially(_ count: Int, _ body: @Sendable (Int) -> Void) {
    for part in 0..<count { body(part) }
}

/// Finds centroids of a sample of vectors (Lloyd's algorithm).
///
/// Theory of operation: the training is a state machine whose owner calls `step` until it is finished. A step takes
/// about 10 ms, so the owner can stop between steps, write to a database, or wait. There are no threads, clocks or
/// random sources in here: the seed and the way to run parts of a step concurrently are parameters, and the same
/// sample and seed give the same centroids on every machine and number of threads.
///
/// 1. **Seeding** (k-means++): each start is drawn with a probability proportional to the squared distance from the
///    starts so far, among at most 16 vectors per centroid.
/// 2. **Assigning** each vector to its nearest centroid, a part of the sample at a time.
/// 3. **Updating** each centroid to the mean of its vectors, summed in doubles and in the order of the sample. A
///    centroid without vectors moves to the vector that is farthest from its own. If there are fewer different
///    vectors than centroids, it is removed.
///
/// The last two are repeated until no vector changes its centroid, or for the given number of rounds. An update is
/// one step, of a tenth of a second for the largest sample.
///
/// Memory: the sample, the vectors that starts are drawn from, 16 bytes per vector, and 12 bytes per component
/// of a centroid.
public struct KMeans: Sendable {
    private enum Phase {
        case seeding
        case assigning(next: Int)
        case updating
        case finished
    }

    /// The number of dimensions.
    public let dimensions: Int
    /// The sum of the squared distances of all vectors from their centroids, after each assignment.
    public private(set) var errors: [Double] = []
    /// Whether the centroids are final.
    public var isFinished: Bool { if case .finished = phase { true } else { false } }

    private let sample: [Float]
    private let sampleCount: Int
    private let roundCount: Int
    private let kernels: any VectorKernels
    private var phase = Phase.seeding
    private var seeding: Seeding
    private var centroids: Centroids?
    private var assignments: [UInt32]
    private var distances: [Float]
    private var hasChanged = false

    /// Prepares a training.
    ///
    /// - Parameters:
    ///   - sample: Finite vectors, one after another; 25 to 100 per centroid are enough.
    ///   - dimensions: The number of floats of a vector.
    ///   - count: The number of centroids; fewer result if there are fewer different vectors.
    ///   - seed: Determines all random choices.
    ///   - rounds: The largest number of rounds; at least one is done.
    ///   - kernels: The kernels to compute with.
    /// - Throws: `VectorError.dimensions`, `.centroids`, `.sample`, `.notFinite` or `.trainingMemory`.
    public init(
        _ sample: [Float],
        dimensions: Int,
        centroids count: Int,
        seed: UInt64,
        rounds: Int = 10,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) {
        guard 1...VectorLimits.dimensionCount ~= dimensions else { throw .dimensions(dimensions) }
        guard 1...VectorLimits.centroidCount ~= count else { throw .centroids(count) }
        guard !sample.isEmpty, sample.count.isMultiple(of: dimensions) else {
            throw .sample(floatCount: sample.count)
        }
        sampleCount = sample.count / dimensions
        let count = min(count, sampleCount)
        let needed = Self.memory(sampleCount, dimensions, count)
        guard needed <= VectorLimits.trainingByteCount else {
            throw .trainingMemory(byteCount: needed, limit: VectorLimits.trainingByteCount)
        }
        try sample.span.requireFinite()
        self.sample = sample
        self.dimensions = dimensions
        self.kernels = kernels
        roundCount = max(rounds, 1)
        seeding = Seeding(sample, dimensions, count: count, seed: seed)
        assignments = [UInt32](repeating: .max, count: sampleCount)
        distances = [Float](repeating: 0, count: sampleCount)
    }

    /// The bytes of the sample, of what is kept per vector, and of the centroids in three forms.
    private static func memory(_ sampleCount: Int, _ dimensions: Int, _ count: Int) -> Int {
        let candidateCount = Seeding.candidateCount(sampleCount, centroids: count)
        let copied = candidateCount < sampleCount ? candidateCount : 0
        return (sampleCount + copied + 3 * count) * dimensions * 4 + sampleCount * 16
    }

    /// Does the next piece of work, about 10 ms, and returns whether the training is finished.
    public mutating func step(
        concurrently run: Concurrently = sequentially
    ) throws(VectorError) -> Bool {
        switch phase {
        case .seeding:
            if seeding.step(kernels) {
                centroids = try Centroids(seeding.starts, dimensions: dimensions)
                seeding.removeAll()
                phase = .assigning(next: 0)
            }
        case .assigning(let next):
            guard let centroids else { break }
            let end = assign(from: next, to: centroids, run)
            phase = end == sampleCount ? .updating : .assigning(next: end)
        case .updating:
            errors.append(distances.reduce(into: 0) { $0 += Double($1) })
            centroids = try Centroids(means(), dimensions: dimensions)
            phase = hasChanged && errors.count < roundCount ? .assigning(next: 0) : .finished
            hasChanged = false
        case .finished: break
        }
        return isFinished
    }

    /// Does all remaining steps and returns the centroids.
    ///
    /// - Parameters:
    ///   - run: Runs the parts of a step, for example on several threads.
    ///   - isCancelled: Whether to stop; asked between steps.
    /// - Returns: The centroids.
    /// - Throws: `VectorError.cancelled`.
    public mutating func finish(
        concurrently run: Concurrently = sequentially,
        isCancelled: () -> Bool = { false }
    ) throws(VectorError) -> Centroids {
        repeat {
            if isCancelled() { throw .cancelled }
        } while try !step(concurrently: run)
        return try result()
    }

    /// The centroids of a finished training.
    ///
    /// - Throws: `VectorError.cancelled` if it is not finished.
    public func result() throws(VectorError) -> Centroids {
        guard isFinished, let centroids else { throw .cancelled }
        return centroids
    }

    // MARK: Assigning

    /// Assigns as many vectors as fit in a step, and returns the position of the next one.
    private mutating func assign(
        from start: Int,
        to centroids: Centroids,
        _ run: Concurrently
    ) -> Int {
        let vectorCount = max(VectorLimits.stepProductCount / centroids.panels.count, 1)
        let end = min(start + vectorCount, sampleCount)
        let partCount = min(8, end - start)
        let bounds = (0...partCount).map { start + (end - start) * $0 / partCount }
        let found = Mutex([Int: (positions: [UInt32], squaredDistances: [Float])]())
        let (sample, dimensions, kernels) = (sample, dimensions, kernels)
        run(partCount) { part in
            let floats = bounds[part] * dimensions..<bounds[part + 1] * dimensions
            let nearest = centroids.assign(sample.span.extracting(floats), kernels)
            found.withLock { $0[part] = nearest }
        }
        for (part, nearest) in found.withLock({ $0 }) {
            for (offset, position) in nearest.positions.enumerated() {
                let vector = bounds[part] + offset
                if assignments[vector] != position { hasChanged = true }
                assignments[vector] = position
                distances[vector] = nearest.squaredDistances[offset]
            }
        }
        return end
    }

    // MARK: Updating

    /// The means of the vectors of each centroid, one after another.
    private func means() -> [Float] {
        let count = centroids?.count ?? 0
        // A counting sort: the vectors in the order of their centroids, and where those of each begin.
        var starts = [Int](repeating: 0, count: count + 1)
        for centroid in assignments { starts[Int(centroid) + 1] += 1 }
        for centroid in 0..<count { starts[centroid + 1] += starts[centroid] }
        var order = [UInt32](repeating: 0, count: sampleCount)
        var next = starts
        for (vector, centroid) in assignments.enumerated() {
            order[next[Int(centroid)]] = UInt32(vector)
            next[Int(centroid)] += 1
        }
        var farthest = farthestVectors(ifAny: (0..<count).contains { starts[$0] == starts[$0 + 1] })
        var means: [Float] = []
        means.reserveCapacity(count * dimensions)
        for centroid in 0..<count {
            var members = order[starts[centroid]..<starts[centroid + 1]]
            if members.isEmpty, let vector = farthest.popLast() { members = [vector] }
            if !members.isEmpty { appendMean(of: members, to: &means) }
        }
        return means
    }

    private func appendMean(of members: ArraySlice<UInt32>, to means: inout [Float]) {
        var sums = [Double](repeating: 0, count: dimensions)
        for vector in members {
            let start = Int(vector) * dimensions
            for dimension in 0..<dimensions { sums[dimension] += Double(sample[start + dimension]) }
        }
        for sum in sums { means.append(Float(sum / Double(members.count))) }
    }

    /// The vectors that are not at their centroids, the farthest last.
    private func farthestVectors(ifAny isNeeded: Bool) -> [UInt32] {
        guard isNeeded else { return [] }
        return distances.indices.filter { distances[$0] > 0 }
            .sorted { (distances[$0], $1) < (distances[$1], $0) }
            .map { UInt32($0) }
    }
}

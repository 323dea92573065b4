/// Chooses the vectors at which k-means starts (k-means++).
///
/// Theory of operation: `nearest` has the squared distance of each candidate from the starts so far. Drawing one in
/// proportion to it favours vectors in places that no start covers. Each start costs one pass over the
/// candidates, and a step ends when it has used up its multiplications, if necessary in the middle of a pass.
///
/// If all candidates coincide with starts, the missing starts are copies of the first. No vector is nearest to a copy,
/// so the first update moves them to distant vectors of the sample, or removes them.
struct Seeding: Sendable {
    /// The chosen vectors, one after another.
    private(set) var starts: [Float] = []

    private let dimensions: Int
    private let count: Int
    private var candidates: [Float]
    private var nearest: [Float]
    private var generator: SplitMix
    /// The candidates that have been compared with the last start.
    private var compared = 0

    init(_ sample: [Float], _ dimensions: Int, count: Int, seed: UInt64) {
        let sampleCount = sample.count / dimensions
        let candidateCount = Self.candidateCount(sampleCount, centroids: count)
        self.dimensions = dimensions
        self.count = count
        generator = SplitMix(state: seed)
        if candidateCount == sampleCount {
            candidates = sample
        } else {
            candidates = []
            candidates.reserveCapacity(candidateCount * dimensions)
            for candidate in 0..<candidateCount {
                let start = candidate * sampleCount / candidateCount * dimensions
                candidates += sample[start..<start + dimensions]
            }
        }
        nearest = [Float](repeating: .infinity, count: candidateCount)
        let first = Int(generator.fraction() * Double(candidateCount))
        append(min(first, candidateCount - 1))
    }

    /// The number of vectors from which the starts are drawn.
    static func candidateCount(_ sampleCount: Int, centroids count: Int) -> Int {
        min(sampleCount, count * VectorLimits.seedsPerCentroid)
    }

    /// Chooses further starts for a while, and returns whether all are chosen.
    mutating func step(_ kernels: any VectorKernels) -> Bool {
        var rowsLeft = max(VectorLimits.stepProductCount / dimensions, 1)
        while starts.count < count * dimensions {
            let end = min(compared + rowsLeft, nearest.count)
            rowsLeft -= end - compared
            compare(until: end, kernels)
            guard compared == nearest.count else { return false }
            guard let next = draw() else {
                let missing = count - starts.count / dimensions
                starts += repeatElement(starts[..<dimensions], count: missing).joined()
                return true
            }
            append(next)
            if rowsLeft == 0 { return false }
        }
        return true
    }

    /// Frees the memory of the candidates.
    mutating func removeAll() {
        candidates = []
        nearest = []
        starts = []
    }

    private mutating func append(_ candidate: Int) {
        starts += candidates[candidate * dimensions..<(candidate + 1) * dimensions]
        compared = 0
    }

    /// Compares further candidates with the last start.
    private mutating func compare(until end: Int, _ kernels: any VectorKernels) {
        let distances = distances(of: compared..<end, kernels)
        for (offset, distance) in distances.enumerated() {
            nearest[compared + offset] = min(nearest[compared + offset], distance)
        }
        compared = end
    }

    /// The squared distances of candidates from the last start.
    private func distances(of range: Range<Int>, _ kernels: any VectorKernels) -> [Float] {
        let floats = range.lowerBound * dimensions..<range.upperBound * dimensions
        return [Float](count: range.count) { distances in
            kernels.squaredDistances(
                from: starts.span.extracting(last: dimensions),
                to: candidates.span.extracting(floats).bytes,
                into: distances
            )
        }
    }

    /// A candidate, drawn in proportion to its distance; `nil` if all coincide with starts.
    private mutating func draw() -> Int? {
        let total = nearest.reduce(into: 0.0) { $0 += Double($1) }
        var rest = generator.fraction() * total
        var last: Int?
        for (candidate, distance) in nearest.enumerated() where distance > 0 {
            last = candidate
            rest -= Double(distance)
            if rest < 0 { break }
        }
        return last
    }
}

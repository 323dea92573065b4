/// The range, mean and deviation of each component in a sample, from which scalar quantization chooses its values.
///
/// Theory of operation: vectors are added in parts, so that a large sample takes several steps of a training. Sums are
/// relative to the first vector, which keeps them exact if components are far from zero.
struct ComponentRanges: Sendable {
    private var count = 0
    private let first: [Double]
    private var low: [Double]
    private var high: [Double]
    private var sums: [Double]
    private var squares: [Double]

    init(startingAt vector: ArraySlice<Float>) {
        first = vector.map { Double($0) }
        low = first
        high = first
        sums = [Double](repeating: 0, count: vector.count)
        squares = sums
    }

    mutating func add(_ vectors: ArraySlice<Float>) {
        for start in stride(from: vectors.startIndex, to: vectors.endIndex, by: first.count) {
            for component in first.indices {
                let value = Double(vectors[start + component])
                let offset = value - first[component]
                if value < low[component] { low[component] = value }
                if value > high[component] { high[component] = value }
                sums[component] += offset
                squares[component] += offset * offset
            }
            count += 1
        }
    }

    /// Spaces the values evenly over each range, but at most some standard deviations around the mean.
    ///
    /// Few values are better spent on where most components are; components beyond the last value are clamped. The
    /// best reach for 16 values and a normal distribution is 2.5 to 2.7 deviations (Max 1960).
    func quantizer(bits: Int) -> ScalarQuantizer {
        let reach = bits == 4 ? 2.7 : bits == 6 ? 4.0 : 8.0
        var (lowest, steps): ([Float], [Float]) = ([], [])
        for component in first.indices {
            let mean = sums[component] / Double(count)
            let variance = squares[component] / Double(count) - mean * mean
            let distance = reach * max(variance, 0).squareRoot()
            let start = max(low[component], first[component] + mean - distance)
            let end = min(high[component], first[component] + mean + distance)
            lowest.append(Float(start))
            steps.append(Float(max(end - start, 0) / Double((1 << bits) - 1)))
        }
        return ScalarQuantizer(bits: bits, lowest: lowest, steps: steps)
    }
}

/// Stores each component as a number of 4, 6 or 8 bits.
///
/// Theory of operation: dimension `d` has `1 << bits` values, evenly spaced from `lowest[d]`, `steps[d]` apart. A code
/// contains the planes of its components (`CodePlane`), and then, as a float, the squared length of the
/// decoded vector relative to the middle of all values.
///
/// That length turns both metrics into one weighted sum of small integers. With `y = x − middle`:
///
///     |q − x|² = |q − middle|² − 2 (q − middle)·y + |y|²        q·x = q·middle + q·y
///
/// A component of `y` is `step · (number − half)`, so the scalar product is a constant plus the sum of
/// `weight · number`. Weights are rounded to 14 bits, which adds less than a tenth to the error of 8-bit codes. The
/// sum is one of integers: exact, the same on every machine, and twice as fast as one of floats.
struct ScalarQuantizer: Equatable, Sendable {
    let bits: Int
    let planes: [CodePlane]
    /// The value of the number 0 in each dimension.
    let lowest: [Float]
    /// The distance between neighbouring values; 0 in a dimension with one value.
    let steps: [Float]

    private var largest: Float { Float((1 << bits) - 1) }
    private var planeByteCount: Int { planes.reduce(0) { $0 + $1.byteCount } }

    init(bits: Int, lowest: [Float], steps: [Float]) {
        self.bits = bits
        self.lowest = lowest
        self.steps = steps
        planes = CodePlane.planes(dimensions: lowest.count, bits: bits)
    }

    // MARK: Codes

    /// Returns the squared length of the difference between the vector and what the code stands for.
    func encode(_ vector: Span<Float>, appendingTo codes: inout [UInt8]) -> Double {
        let half = Double(largest) / 2
        var (squaredLength, squaredError) = (0.0, 0.0)
        let numbers = lowest.indices.map { dimension in
            let number = number(of: vector[dimension], dimension)
            let step = Double(steps[dimension])
            let part = step * (Double(number) - half)
            squaredLength += part * part
            let value = Double(lowest[dimension]) + step * Double(number)
            let difference = Double(vector[dimension]) - value
            squaredError += difference * difference
            return number
        }
        for plane in planes { plane.append(numbers, to: &codes) }
        codes.append(float: Float(squaredLength))
        return squaredError
    }

    /// The number of the nearest value; a component may be far outside the range.
    private func number(of component: Float, _ dimension: Int) -> UInt8 {
        // Converting to an integer rounds towards zero, and is faster than rounding a float.
        let number = (component - lowest[dimension]) / steps[dimension] + 0.5
        // False for NaN, which 0 / 0 is.
        return number >= 1 && steps[dimension] > 0 ? UInt8(min(number, largest)) : 0
    }

    func decode(_ code: RawSpan, appendingTo vector: inout [Float]) {
        var numbers = [UInt8](repeating: 0, count: lowest.count)
        for plane in planes { plane.read(code, into: &numbers) }
        let range = -Double(Float.greatestFiniteMagnitude)...Double(Float.greatestFiniteMagnitude)
        for (dimension, number) in numbers.enumerated() {
            let value = Double(lowest[dimension]) + Double(steps[dimension]) * Double(number)
            vector.append(Float(min(max(value, range.lowerBound), range.upperBound)))
        }
    }

    // MARK: Distances

    /// A query's weights: `distance = constant + factor · Σ weight · number`, and `|y|²` for squared distances.
    struct Scanner: Sendable {
        fileprivate let constant: Double
        fileprivate let factor: Double
        fileprivate let isProduct: Bool
        fileprivate let planes: [(plane: CodePlane, weights: [Int16])]
        fileprivate let codeByteCount: Int
        /// The largest error that the rounding of weights and sums adds to a distance.
        let rounding: Float
    }

    /// Prepares a query: for squared distances, or for negative products.
    func scanner(for query: Span<Float>, isProduct: Bool) -> Scanner {
        let half = Double(largest) / 2
        var (constant, magnitude) = (0.0, 0.0)
        var exact: [Double] = []
        for dimension in lowest.indices {
            let (step, value) = (Double(steps[dimension]), Double(query[dimension]))
            let middle = Double(lowest[dimension]) + step * half
            constant += isProduct ? -value * middle : (value - middle) * (value - middle)
            exact.append((isProduct ? value : value - middle) * step)
            magnitude += middle * middle + value * value + step * half * step * half
        }
        let unit = exact.reduce(into: 0) { $0 = max($0, $1.magnitude) } / 8191
        let rounded = exact.map { unit > 0 ? Int16(($0 / unit).rounded()) : 0 }
        let factor = (isProduct ? -1 : -2) * unit
        let unrounded = zip(exact, rounded).reduce(0) { sum, weight in
            sum + (weight.0 - unit * Double(weight.1)).magnitude
        }
        return Scanner(
            constant: constant - factor * half * Double(rounded.reduce(into: 0) { $0 += Int($1) }),
            factor: factor,
            isProduct: isProduct,
            planes: planes.map { ($0, $0.weights(rounded)) },
            codeByteCount: planeByteCount + 4,
            // Then the rounding of the length and of the result to floats.
            rounding: Float((isProduct ? 1 : 2) * unrounded * half + 1e-6 * magnitude)
        )
    }
}

extension ScalarQuantizer.Scanner {
    func distances(
        to codes: RawSpan,
        _ kernels: any VectorKernels,
        into distances: consuming MutableSpan<Float>
    ) {
        var sums = [Int64](repeating: 0, count: distances.count)
        for (plane, weights) in planes {
            kernels.addSums(
                of: plane,
                weights: weights.span,
                codes: codes,
                stride: codeByteCount,
                to: sums.mutableSpan
            )
        }
        for row in distances.indices {
            var distance = constant + factor * Double(sums[row])
            if !isProduct {
                distance += Double(codes.float(at: (row + 1) * codeByteCount - 4))
                // Rounding can make it negative; NaN stays.
                if distance < 0 { distance = 0 }
            }
            distances[row] = Float(distance)
        }
    }
}

extension CodePlane {
    private var mask: UInt8 { UInt8(truncatingIfNeeded: 1 << fieldBitCount &- 1) }

    /// The weights of the components in the order of the fields.
    fileprivate func weights(_ components: [Int16]) -> [Int16] {
        var weights = [Int16](repeating: 0, count: weightCount)
        for (dimension, weight) in components.enumerated() {
            weights[weightIndex(of: dimension)] = weight
        }
        return weights
    }

    /// Appends the plane's bits of each number.
    fileprivate func append(_ numbers: [UInt8], to codes: inout [UInt8]) {
        for byte in 0..<byteCount {
            var bits: UInt8 = 0
            for field in 0..<fieldCount where field * byteCount + byte < numbers.count {
                let number = numbers[field * byteCount + byte] >> UInt8(shift) & mask
                bits |= number << UInt8(field * fieldBitCount)
            }
            codes.append(bits)
        }
    }

    /// Adds the plane's bits to each number.
    fileprivate func read(_ code: RawSpan, into numbers: inout [UInt8]) {
        for byte in 0..<byteCount {
            let bits = code.byte(at: byteOffset + byte)
            for field in 0..<fieldCount where field * byteCount + byte < numbers.count {
                let number = bits >> UInt8(field * fieldBitCount) & mask
                numbers[field * byteCount + byte] |= number << UInt8(shift)
            }
        }
    }
}

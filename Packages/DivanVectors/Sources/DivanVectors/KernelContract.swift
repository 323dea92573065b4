/// The requirements for every set of kernels, as a check for any test framework.
///
/// Theory of operation: the kernels and `NativeKernels.scalar` compute the same random input, and must return the
/// same bits. Lengths are all up to 70, and those around some multiples of the vector widths; rows and
/// codes begin at any address. Components are ordinary numbers, numbers at either end of the range of floats, or
/// a mixture with infinities and NaN; any NaN equals any other. Results for ordinary numbers are also
/// compared with sums of doubles, within the bound that `VectorKernels` states.
public enum KernelContract {
    /// Returns one sentence for each violated requirement; none if the kernels are correct.
    ///
    /// - Parameters:
    ///   - kernels: The kernels to check.
    ///   - seed: Determines the random input.
    ///   - limit: The check ends after about this many violations.
    /// - Returns: The violated requirements.
    public static func violations(
        of kernels: some VectorKernels,
        seed: UInt64 = 1,
        limit: Int = 20
    ) -> [String] {
        var trial = KernelTrial(kernels, seed)
        for length in lengths where trial.violations.count < limit {
            for kind in Components.allCases { trial.checkRows(length, kind) }
            for fieldCount in [1, 2, 4] { trial.checkPlanes(length, fieldCount) }
            guard length <= 70 || length % 256 < 2 else { continue }
            for kind in Components.allCases { trial.checkPanels(length, kind) }
            trial.checkNearest(length)
        }
        for bits in 1...12 where trial.violations.count < limit {
            for count in [1, 2, 7, 8, 9, 16, 17, 48, 96] { trial.checkTables(count, bits) }
        }
        return trial.violations
    }

    private static let lengths: [Int] =
        Array(1...70)
        + [96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048].flatMap { [$0 - 1, $0, $0 + 1] }
        + [VectorLimits.dimensionCount]
}

/// What the components of a random vector are.
private enum Components: CaseIterable {
    case ordinary
    case tiny
    case huge
    case special
}

/// The kernels under test, the random input, and what was found.
private struct KernelTrial<Kernels: VectorKernels> {
    let kernels: Kernels
    var violations: [String] = []
    private var random: SplitMix
    // Vectors are parts of these, because generating new ones would take longer than all kernels. A panel of the
    // longest vectors fits.
    private static var numberCount: Int { VectorLimits.dimensionCount * Centroids.panelWidth }
    private let floats: [Components: [Float]]
    private let bytes: [UInt8]

    init(_ kernels: Kernels, _ seed: UInt64) {
        self.kernels = kernels
        var random = SplitMix(state: seed)
        let numbers = (0..<Self.numberCount).map { _ in Float(random.fraction() * 2 - 1) }
        floats = [
            .ordinary: numbers,
            .tiny: numbers.map { $0 * 0x1p-70 * ($0.significandBitPattern % 2 == 0 ? 1 : 0x1p-76) },
            .huge: numbers.map { $0 * .greatestFiniteMagnitude },
            .special: numbers.map { number in
                let choice = Int(number.significandBitPattern & 511)
                return choice < 4 ? [.nan, .infinity, -.infinity, -0][choice] : number
            },
        ]
        bytes = numbers.map { UInt8(truncatingIfNeeded: $0.significandBitPattern >> 5) }
        self.random = random
    }

    // MARK: Checks

    mutating func checkRows(_ length: Int, _ kind: Components) {
        let (query, rows) = (part(length, kind), part(3 * length, kind))
        var bytes = [UInt8](repeating: 7, count: below(64))
        let start = bytes.count
        for float in rows { bytes.append(float: float) }
        let distances = compare("distances of rows", length, kind) { kernels in
            [Float](count: 3) { distances in
                let rows = bytes.span.bytes.extracting(start...)
                kernels.squaredDistances(from: query.span, to: rows, into: distances)
            }
        }
        let products = compare("products of rows", length, kind) { kernels in
            var lengths: [Float] = [9, 9, 9]
            let products = [Float](count: 3) { products in
                let rows = bytes.span.bytes.extracting(start...)
                kernels.products(
                    of: query.span,
                    with: rows,
                    into: products,
                    squaredLengths: lengths.mutableSpan
                )
            }
            return products + lengths
        }
        guard kind == .ordinary else { return }
        let bound = Double(length / 32 + 8) * 0x1p-23
        for row in 0..<3 {
            let exact = ExactSums(query, rows.dropFirst(row * length).prefix(length))
            checkError(distances[row], exact.distance, bound * exact.distance)
            checkError(products[row], exact.product, bound * exact.magnitude)
            checkError(products[row + 3], exact.length, bound * exact.length)
        }
    }

    mutating func checkPanels(_ length: Int, _ kind: Components) {
        let panelCount = length > 512 ? 1 : 2
        let (query, panels) = (part(length, kind), part(panelCount * 32 * length, kind))
        _ = compare("distances of panels", length, kind) { kernels in
            [Float](count: panelCount * 32) { distances in
                kernels.squaredDistances(from: query.span, toPanels: panels.span, into: distances)
            }
        }
        _ = compare("products of panels", length, kind) { kernels in
            [Float](count: panelCount * 32) { products in
                kernels.products(of: query.span, withPanels: panels.span, into: products)
            }
        }
    }

    /// Few different components, so that many distances are equal, and some of them NaN and infinite.
    mutating func checkNearest(_ length: Int) {
        let kind: Components = below(2) == 0 ? .ordinary : .special
        let panelCount = length > 512 ? 1 : 1 + below(4)
        let pointCount = length > 512 ? 2 : 1 + below(40)
        let points = part(pointCount * length, .ordinary).map { ($0 * 2).rounded() }
        let panels = part(panelCount * 32 * length, kind).map { ($0 * 2).rounded() }
        _ = compare("nearest vectors", length, kind) { kernels in
            var nearest = [UInt32](repeating: 9, count: pointCount)
            let distances = [Float](count: pointCount) { distances in
                kernels.nearest(
                    to: points.span,
                    inPanels: panels.span,
                    dimensions: length,
                    into: nearest.mutableSpan,
                    distances: distances
                )
            }
            return distances + nearest.map { Float($0) }
        }
    }

    /// Every second time with the largest fields and weights.
    mutating func checkPlanes(_ length: Int, _ fieldCount: Int) {
        let plane = CodePlane(
            dimensions: length,
            fieldCount: fieldCount,
            shift: below(5),
            byteOffset: below(9)
        )
        let stride = plane.byteOffset + plane.byteCount + below(9)
        let isExtreme = below(2) == 0
        let codes = [7] + (isExtreme ? Array(repeating: 255, count: 3 * stride) : part(3 * stride))
        var weights = [Int16](repeating: 0, count: plane.weightCount)
        let sign: Float = below(2) == 0 ? 8191 : -8191
        for (dimension, number) in part(length, .ordinary).enumerated() {
            weights[plane.weightIndex(of: dimension)] = Int16(sign * (isExtreme ? 1 : number))
        }
        _ = compare("sums of planes", length, isExtreme ? .huge : .ordinary) { kernels in
            var sums: [Int64] = [1, -2, 3]
            kernels.addSums(
                of: plane,
                weights: weights.span,
                codes: codes.span.bytes.extracting(1...),
                stride: stride,
                to: sums.mutableSpan
            )
            // A float has 24 bits, so each sum is split into two.
            return sums.flatMap { [Float($0 >> 24), Float($0 & 0xFF_FFFF)] }
        }
    }

    mutating func checkTables(_ count: Int, _ bits: Int) {
        let kind: Components = below(2) == 0 ? .ordinary : .special
        guard count << bits <= Self.numberCount else { return }
        let table = part(count << bits, kind)
        let stride = (count * bits + 7) / 8 + below(3)
        let codes = [7] + part(5 * stride)
        _ = compare("sums of tables with \(bits) bits", count, kind) { kernels in
            [Float](count: 5) { sums in
                kernels.sums(
                    of: table.span,
                    subquantizers: count,
                    bits: bits,
                    codes: codes.span.bytes.extracting(1...),
                    stride: stride,
                    into: sums
                )
            }
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.fraction() * Double(bound)) }

    /// A random part of the floats.
    private mutating func part(_ count: Int, _ kind: Components) -> [Float] {
        let all = floats[kind] ?? []
        let start = below(all.count - count + 1)
        return Array(all[start..<start + count])
    }

    /// A random part of the bytes.
    private mutating func part(_ count: Int) -> [UInt8] {
        let start = below(bytes.count - count + 1)
        return Array(bytes[start..<start + count])
    }

    // MARK: Comparison

    /// Returns the results of the kernels under test, which must be those of the definition.
    private mutating func compare(
        _ what: String,
        _ length: Int,
        _ kind: Components,
        _ compute: (any VectorKernels) -> [Float]
    ) -> [Float] {
        let (found, expected) = (compute(kernels), compute(NativeKernels.scalar))
        for (found, expected) in zip(found, expected)
        where found.bitPattern != expected.bitPattern && !(found.isNaN && expected.isNaN) {
            violations.append(
                "\(kernels.name): \(what), length \(length), \(kind) components: "
                    + "the result is \(found), and must be \(expected)."
            )
            break
        }
        return found
    }

    private mutating func checkError(_ found: Float, _ exact: Double, _ bound: Double) {
        guard (Double(found) - exact).magnitude > bound else { return }
        violations.append("\(kernels.name): \(found) differs from \(exact) by more than \(bound).")
    }
}

/// Sums of doubles.
private struct ExactSums {
    var (distance, product, magnitude, length) = (0.0, 0.0, 0.0, 0.0)

    init(_ query: [Float], _ row: ArraySlice<Float>) {
        for (first, second) in zip(query.lazy.map(Double.init), row.lazy.map(Double.init)) {
            distance += (first - second) * (first - second)
            product += first * second
            magnitude += (first * second).magnitude
            length += second * second
        }
    }
}

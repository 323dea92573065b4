import DivanTestKit
import DivanVectors
import Testing

/// Each set of kernels that this machine can run, and what the contract detects.
@Suite struct KernelContractTests {
    @Test(arguments: NativeKernels.all.map(\.name))
    func `kernels return the same bits as plain C`(name: String) throws {
        let kernels = try #require(NativeKernels.all.first { $0.name == name })
        let seed = TestSeed.choose(below: 1_000_000)
        #expect(KernelContract.violations(of: kernels, seed: seed) == [], "seed \(seed)")
    }

    @Test
    func `a machine has a fast set of kernels and plain C`() {
        let names = NativeKernels.all.map(\.name)
        #if arch(x86_64)
        #expect(names == ["avx2", "sse2", "scalar"] || names == ["sse2", "scalar"])
        #elseif arch(arm64)
        #expect(names == ["neon", "scalar"])
        #else
        #expect(names == ["scalar"])
        #endif
        #expect(NativeKernels.fastest.name == names.first)
    }

    @Test(arguments: FaultyKernels.Fault.allCases)
    func `the contract detects a faulty kernel`(fault: FaultyKernels.Fault) {
        #expect(!KernelContract.violations(of: FaultyKernels(fault), limit: 1).isEmpty)
    }

    @Test
    func `the contract accepts kernels that forward to correct ones`() {
        #expect(KernelContract.violations(of: FaultyKernels(nil)) == [])
    }
}

/// Correct kernels, but for one fault.
struct FaultyKernels: VectorKernels {
    enum Fault: CaseIterable, CustomTestStringConvertible {
        case lastComponentIgnored, roundedLater, lengthsSwapped, lastOfEquals
        case weightsShifted, sumsOverwritten, entryOffByOne, panelProductNegated

        var testDescription: String { "\(self)" }
    }

    let name = "faulty"
    private let fault: Fault?
    private let base = NativeKernels.scalar

    init(_ fault: Fault?) {
        self.fault = fault
    }

    func squaredDistances(
        from query: Span<Float>,
        to rows: RawSpan,
        into distances: consuming MutableSpan<Float>
    ) {
        // Borrowed for the call.
        distances.withUnsafeMutableBufferPointer { distances in
            base.squaredDistances(from: query, to: rows, into: distances.mutableSpan)
        }
        if fault == .roundedLater { distances[0] = distances[0].nextUp }
    }

    func products(
        of query: Span<Float>,
        with rows: RawSpan,
        into products: consuming MutableSpan<Float>,
        squaredLengths: consuming MutableSpan<Float>
    ) {
        var query = query.indices.map { query[$0] }
        if fault == .lastComponentIgnored, query.count > 64 { query[query.count - 1] = 0 }
        // Both are borrowed for the call.
        products.withUnsafeMutableBufferPointer { products in
            squaredLengths.withUnsafeMutableBufferPointer { lengths in
                base.products(
                    of: query.span,
                    with: rows,
                    into: products.mutableSpan,
                    squaredLengths: lengths.mutableSpan
                )
            }
        }
        if fault == .lengthsSwapped { squaredLengths.swapAt(0, 1) }
    }

    func squaredDistances(
        from query: Span<Float>,
        toPanels panels: Span<Float>,
        into distances: consuming MutableSpan<Float>
    ) {
        base.squaredDistances(from: query, toPanels: panels, into: distances)
    }

    func products(
        of query: Span<Float>,
        withPanels panels: Span<Float>,
        into products: consuming MutableSpan<Float>
    ) {
        // Borrowed for the call.
        products.withUnsafeMutableBufferPointer { products in
            base.products(of: query, withPanels: panels, into: products.mutableSpan)
        }
        if fault == .panelProductNegated { products[0] = -products[0] }
    }

    func nearest(
        to points: Span<Float>,
        inPanels panels: Span<Float>,
        dimensions: Int,
        into nearest: consuming MutableSpan<UInt32>,
        distances: consuming MutableSpan<Float>
    ) {
        // Both are borrowed for the call.
        nearest.withUnsafeMutableBufferPointer { nearest in
            distances.withUnsafeMutableBufferPointer { distances in
                base.nearest(
                    to: points,
                    inPanels: panels,
                    dimensions: dimensions,
                    into: nearest.mutableSpan,
                    distances: distances.mutableSpan
                )
            }
        }
        guard fault == .lastOfEquals else { return }
        var all = [Float](repeating: 0, count: panels.count / dimensions)
        for point in nearest.indices {
            let floats = point * dimensions..<(point + 1) * dimensions
            base.squaredDistances(
                from: points.extracting(floats),
                toPanels: panels,
                into: all.mutableSpan
            )
            let last = all.lastIndex(of: distances[point])
            nearest[point] = last.map { UInt32($0) } ?? nearest[point]
        }
    }

    func addSums(
        of plane: CodePlane,
        weights: Span<Int16>,
        codes: RawSpan,
        stride: Int,
        to sums: consuming MutableSpan<Int64>
    ) {
        if fault == .sumsOverwritten { sums.update(repeating: 0) }
        var weights = weights.indices.map { weights[$0] }
        if fault == .weightsShifted { weights.swapAt(0, weights.count - 1) }
        base.addSums(of: plane, weights: weights.span, codes: codes, stride: stride, to: sums)
    }

    func sums(
        of table: Span<Float>,
        subquantizers: Int,
        bits: Int,
        codes: RawSpan,
        stride: Int,
        into sums: consuming MutableSpan<Float>
    ) {
        var table = table.indices.map { table[$0] }
        if fault == .entryOffByOne { table.append(table.removeFirst()) }
        base.sums(
            of: table.span,
            subquantizers: subquantizers,
            bits: bits,
            codes: codes,
            stride: stride,
            into: sums
        )
    }
}

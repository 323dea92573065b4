internal import CDivanVectors

/// The kernels of this package, in C: AVX2, SSE2, NEON and plain C.
///
/// Theory of operation: which sets a machine can run is determined at run time, so a program needs no compiler
/// options, and one build runs everywhere. Every method checks that its arrays are as long as the kernel
/// assumes, and stops the program if not: lengths come from calling code, never from a file.
public struct NativeKernels: VectorKernels {
    /// The sets that this machine can run, the fastest first and plain C last.
    public static let all: [NativeKernels] = (0...).lazy.map(divan_vector_kernels_at)
        .prefix { $0 != nil }.compactMap(\.self).map(NativeKernels.init)

    /// The fastest set that this machine can run.
    public static let fastest = all[0]  // plain C at least

    /// The definition of all kernels in plain C, for any machine.
    public static let scalar = all[all.count - 1]

    /// `avx2`, `sse2`, `neon` or `scalar`.
    public let name: String
    // A constant of the C module: pointers to functions without state.
    private nonisolated(unsafe) let functions: UnsafePointer<divan_vector_kernels>

    private init(_ functions: UnsafePointer<divan_vector_kernels>) {
        self.functions = functions
        name = String(cString: functions.pointee.name)
    }

    // MARK: Rows

    /// Computes the squared distance of each row from the query.
    public func squaredDistances(
        from query: Span<Float>,
        to rows: RawSpan,
        into distances: consuming MutableSpan<Float>
    ) {
        let (dimensions, count) = (query.count, distances.count)
        precondition(rows.byteCount == count * dimensions * 4, "a distance needs one row")
        call(query, rows, distances) { query, rows, distances in
            functions.pointee.squared_distances(query, rows, dimensions, count, distances)
        }
    }

    /// Computes the product of each row with the query, and its squared length.
    public func products(
        of query: Span<Float>,
        with rows: RawSpan,
        into products: consuming MutableSpan<Float>,
        squaredLengths: consuming MutableSpan<Float>
    ) {
        let (dimensions, count) = (query.count, products.count)
        precondition(rows.byteCount == count * dimensions * 4, "a product needs one row")
        precondition(squaredLengths.count == count, "each row has a product and a length")
        call(query, rows, products) { query, rows, products in
            squaredLengths.withUnsafeMutableBufferPointer { lengths in
                let lengths = lengths.baseAddress
                functions.pointee.products(query, rows, dimensions, count, products, lengths)
            }
        }
    }

    // MARK: Panels

    /// Computes the squared distance of each vector in panels from the query.
    public func squaredDistances(
        from query: Span<Float>,
        toPanels panels: Span<Float>,
        into distances: consuming MutableSpan<Float>
    ) {
        let panelCount = checkPanels(query, panels, distances.count)
        let dimensions = query.count
        call(query, panels.bytes, distances) { query, panels, distances in
            functions.pointee.panel_squared_distances(
                query,
                panels?.assumingMemoryBound(to: Float.self),
                dimensions,
                panelCount,
                distances
            )
        }
    }

    /// Computes the product of each vector in panels with the query.
    public func products(
        of query: Span<Float>,
        withPanels panels: Span<Float>,
        into products: consuming MutableSpan<Float>
    ) {
        let panelCount = checkPanels(query, panels, products.count)
        let dimensions = query.count
        call(query, panels.bytes, products) { query, panels, products in
            functions.pointee.panel_products(
                query,
                panels?.assumingMemoryBound(to: Float.self),
                dimensions,
                panelCount,
                products
            )
        }
    }

    private func checkPanels(_ query: Span<Float>, _ panels: Span<Float>, _ count: Int) -> Int {
        precondition(count.isMultiple(of: Centroids.panelWidth), "a panel has 32 results")
        precondition(panels.count == count * query.count, "a result needs one vector")
        return count / Centroids.panelWidth
    }

    /// Finds the vector in panels that is nearest to each point.
    public func nearest(
        to points: Span<Float>,
        inPanels panels: Span<Float>,
        dimensions: Int,
        into nearest: consuming MutableSpan<UInt32>,
        distances: consuming MutableSpan<Float>
    ) {
        let (count, panelSize) = (nearest.count, dimensions * Centroids.panelWidth)
        precondition(
            dimensions > 0 && panels.count.isMultiple(of: panelSize),
            "panels must be complete"
        )
        precondition(points.count == count * dimensions, "each result needs one point")
        precondition(distances.count == count, "each point has a vector and a distance")
        let panelCount = panels.count / panelSize
        call(points, panels.bytes, distances) { points, panels, distances in
            nearest.withUnsafeMutableBufferPointer { nearest in
                functions.pointee.nearest(
                    points,
                    panels?.assumingMemoryBound(to: Float.self),
                    dimensions,
                    panelCount,
                    count,
                    nearest.baseAddress,
                    distances
                )
            }
        }
    }

    // MARK: Codes

    /// Adds the weighted sums of a plane.
    public func addSums(
        of plane: CodePlane,
        weights: Span<Int16>,
        codes: RawSpan,
        stride: Int,
        to sums: consuming MutableSpan<Int64>
    ) {
        let count = sums.count
        guard count > 0 else { return }
        precondition([1, 2, 4].contains(plane.fieldCount) && weights.count == plane.weightCount)
        precondition(plane.byteOffset >= 0 && plane.byteOffset + plane.byteCount <= stride)
        precondition(codes.byteCount == count * stride, "a sum needs one code")
        call(weights, codes.extracting(plane.byteOffset...), sums) { weights, codes, sums in
            functions.pointee.plane_sums(
                weights,
                plane.byteCount,
                plane.fieldCount,
                codes?.assumingMemoryBound(to: UInt8.self),
                stride,
                count,
                1 << Int32(plane.shift),
                sums
            )
        }
    }

    /// Sums up the table entries that codes select.
    public func sums(
        of table: Span<Float>,
        subquantizers: Int,
        bits: Int,
        codes: RawSpan,
        stride: Int,
        into sums: consuming MutableSpan<Float>
    ) {
        let count = sums.count
        precondition(1...12 ~= bits && table.count == subquantizers << bits)
        precondition((subquantizers * bits + 7) / 8 <= stride, "a code is too short")
        precondition(codes.byteCount == count * stride, "a sum needs one code")
        call(table, codes, sums) { table, codes, sums in
            functions.pointee.table_sums(
                table,
                subquantizers,
                UInt32(bits),
                codes?.assumingMemoryBound(to: UInt8.self),
                stride,
                count,
                sums
            )
        }
    }

    /// Passes the addresses of spans to C.
    ///
    /// A kernel reads and writes exactly the elements whose number was checked, and only during the call; the spans
    /// guarantee that they exist and that results do not overlap input.
    private func call<First, Result>(
        _ first: Span<First>,
        _ second: RawSpan,
        _ results: consuming MutableSpan<Result>,
        _ kernel: (
            UnsafePointer<First>?, UnsafeRawPointer?, UnsafeMutablePointer<Result>?
        ) -> Void
    ) {
        first.withUnsafeBufferPointer { first in
            second.withUnsafeBytes { second in
                results.withUnsafeMutableBufferPointer { results in
                    kernel(first.baseAddress, second.baseAddress, results.baseAddress)
                }
            }
        }
    }
}

/// Vectors with which many others are compared: the centroids of an index, or the codewords of a quantizer.
///
/// Theory of operation: the vectors are stored in panels of 32, and a panel dimension by dimension. A kernel
/// subtracts one number of the query from 32 centroids at once, so it needs no sum across lanes, and is as fast for
/// 4 dimensions as for 4,000. Unused lanes of the last panel are infinite, and never nearest.
public struct Centroids: Equatable, Sendable {
    /// The number of vectors in a panel.
    public static let panelWidth = 32

    /// The number of dimensions.
    public let dimensions: Int
    /// The number of vectors.
    public let count: Int
    /// The transposed vectors: `panels[(vector / 32 * dimensions + dimension) * 32 + vector % 32]`.
    public let panels: [Float]

    /// Transposes rows of floats.
    ///
    /// - Parameters:
    ///   - rows: The vectors, one after another; at least one.
    ///   - dimensions: The number of floats of a vector.
    /// - Throws: `VectorError.dimensions`, `.centroids` or `.sample`.
    public init(_ rows: [Float], dimensions: Int) throws(VectorError) {
        guard 1...VectorLimits.dimensionCount ~= dimensions else { throw .dimensions(dimensions) }
        guard rows.count.isMultiple(of: dimensions) else { throw .sample(floatCount: rows.count) }
        let count = rows.count / dimensions
        guard 1...VectorLimits.centroidCount ~= count else { throw .centroids(count) }
        self.dimensions = dimensions
        self.count = count
        let width = Self.panelWidth
        let panelCount = (count + width - 1) / width
        var panels = [Float](repeating: .infinity, count: panelCount * width * dimensions)
        for vector in 0..<count {
            let start = vector / width * dimensions * width + vector % width
            for dimension in 0..<dimensions {
                panels[start + dimension * width] = rows[vector * dimensions + dimension]
            }
        }
        self.panels = panels
    }

    /// Returns a vector.
    public subscript(vector: Int) -> [Float] {
        precondition(0..<count ~= vector, "there is no such centroid")
        let start = vector / Self.panelWidth * dimensions * Self.panelWidth
        return (0..<dimensions).map { dimension in
            panels[start + dimension * Self.panelWidth + vector % Self.panelWidth]
        }
    }

    /// Adds copies of the last vector.
    ///
    /// The first of equal vectors is the nearest one, so no vector is assigned to a copy.
    ///
    /// - Parameter count: The number of vectors of the result; that of this one if it is greater.
    /// - Returns: The vectors.
    /// - Throws: `VectorError.centroids`.
    public func padded(to count: Int) throws(VectorError) -> Centroids {
        guard count > self.count else { return self }
        let last = self[self.count - 1]
        var rows = (0..<self.count).flatMap { self[$0] }
        for _ in self.count..<count { rows += last }
        return try Centroids(rows, dimensions: dimensions)
    }

    /// Returns the squared distance of each vector from a point.
    ///
    /// - Throws: `VectorError.vectorLength` if the point has another number of dimensions.
    public func squaredDistances(
        from point: Span<Float>,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) -> [Float] {
        try check(point)
        let distances = [Float](count: laneCount) { distances in
            kernels.squaredDistances(from: point, toPanels: panels.span, into: distances)
        }
        return Array(distances[..<count])
    }

    /// Returns the dot product of each vector with a point.
    ///
    /// - Throws: `VectorError.vectorLength` if the point has another number of dimensions.
    public func products(
        with point: Span<Float>,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) -> [Float] {
        try check(point)
        let products = [Float](count: laneCount) { products in
            kernels.products(of: point, withPanels: panels.span, into: products)
        }
        return Array(products[..<count])
    }

    private var laneCount: Int { panels.count / dimensions }

    private func check(_ point: Span<Float>) throws(VectorError) {
        guard point.count == dimensions else {
            throw .vectorLength(point.count, expected: dimensions)
        }
    }

    /// Returns the position of the nearest vector, and its squared distance, for each point.
    ///
    /// - Parameters:
    ///   - points: Points, one after another.
    ///   - kernels: The kernels to compute with.
    /// - Returns: As many positions and squared distances as points.
    /// - Throws: `VectorError.vectorLength` if the points are not a whole number of vectors.
    public func nearest(
        to points: Span<Float>,
        kernels: any VectorKernels = NativeKernels.fastest
    ) throws(VectorError) -> (positions: [UInt32], squaredDistances: [Float]) {
        guard points.count.isMultiple(of: dimensions) else {
            throw .vectorLength(points.count % dimensions, expected: dimensions)
        }
        return assign(points, kernels)
    }

    func assign(
        _ points: Span<Float>,
        _ kernels: any VectorKernels
    ) -> (positions: [UInt32], squaredDistances: [Float]) {
        let pointCount = points.count / dimensions
        var positions = [UInt32](repeating: 0, count: pointCount)
        let distances = [Float](count: pointCount) { distances in
            kernels.nearest(
                to: points,
                inPanels: panels.span,
                dimensions: dimensions,
                into: positions.mutableSpan,
                distances: distances
            )
        }
        return (positions, distances)
    }
}

import DivanTestKit
import DivanVectors
import Testing

/// Distances from all centroids at once, and the nearest one.
@Suite struct CentroidsTests {
    @Test(arguments: [1, 31, 32, 33, 100])
    func `distances and products equal those computed one vector at a time`(count: Int) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var source = NormalNumbers(seed: seed)
        for dimensions in [1, 7, 40] {
            let rows = source.vector(count * dimensions, scale: 1)
            let centroids = try Centroids(rows, dimensions: dimensions)
            let point = source.vector(dimensions, scale: 1)
            let distances = try centroids.squaredDistances(from: point.span)
            let products = try centroids.products(with: point.span)
            #expect(distances.count == count && products.count == count)
            for number in 0..<count {
                let centroid = Array(rows[number * dimensions..<(number + 1) * dimensions])
                #expect(centroids[number] == centroid)
                let exact = try VectorQuery(point, metric: .euclideanSquared).distance(
                    to: centroid.span
                )
                let product = try VectorQuery(point, metric: .dot).distance(to: centroid.span)
                #expect(abs(distances[number] - exact) < 1e-4, "seed \(seed)")
                #expect(abs(products[number] + product) < 1e-4, "seed \(seed)")
            }
        }
    }

    @Test
    func `the nearest centroid is the first with the least distance`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for count in [1, 40, 70] {
            // Few different numbers, so that many distances are equal.
            let rows = (0..<count * 3).map { _ in Float(Int.random(in: 0...2, using: &generator)) }
            let centroids = try Centroids(rows, dimensions: 3)
            let points = (0..<50 * 3).map { _ in Float(Int.random(in: 0...2, using: &generator)) }
            let (positions, distances) = try centroids.nearest(to: points.span)
            for point in 0..<50 {
                let all = try centroids.squaredDistances(
                    from: points.span.extracting(point * 3..<(point + 1) * 3)
                )
                #expect(distances[point] == all.min(), "seed \(seed)")
                #expect(Int(positions[point]) == all.firstIndex(of: distances[point]))
            }
        }
    }

    @Test
    func `invalid centroids and points are refused`() throws {
        #expect(throws: VectorError.dimensions(0)) { try Centroids([1], dimensions: 0) }
        #expect(throws: VectorError.centroids(0)) { try Centroids([], dimensions: 2) }
        #expect(throws: VectorError.sample(floatCount: 3)) {
            try Centroids([1, 2, 3], dimensions: 2)
        }
        let centroids = try Centroids([1, 2, 3, 4], dimensions: 2)
        #expect(throws: VectorError.vectorLength(3, expected: 2)) {
            try centroids.squaredDistances(from: [1, 2, 3].span)
        }
        #expect(throws: VectorError.vectorLength(1, expected: 2)) {
            try centroids.nearest(to: [1, 2, 3].span)
        }
    }
}

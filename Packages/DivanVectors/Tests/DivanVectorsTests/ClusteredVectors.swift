import DivanTestKit
import DivanVectors
import Foundation

/// Vectors around cluster centres with a low local dimension, as embeddings have, and queries near some of them.
///
/// Uniform random vectors have no near neighbours, so recall on them says nothing.
struct ClusteredVectors {
    let dimensions: Int
    let count: Int
    /// All vectors, one after another.
    let floats: [Float]
    let queries: [[Float]]

    init(
        count: Int,
        dimensions: Int,
        clusters: Int = 40,
        localDimensions: Int = 12,
        queries queryCount: Int = 50,
        seed: UInt64
    ) {
        var source = NormalNumbers(seed: seed)
        self.dimensions = dimensions
        self.count = count
        let centres = (0..<clusters).map { _ in source.vector(dimensions, scale: 1) }
        let axes = (0..<clusters).map { _ in
            (0..<localDimensions).map { _ in source.vector(dimensions, scale: 0.25) }
        }
        let all = (0..<count + queryCount).map { number in
            var vector = centres[number % clusters]
            for axis in axes[number % clusters] {
                let amount = source.next()
                for index in vector.indices { vector[index] += amount * axis[index] }
            }
            for index in vector.indices { vector[index] += 0.02 * source.next() }
            return vector
        }
        floats = Array(all[..<count].joined())
        queries = Array(all[count...])
    }

    subscript(number: Int) -> [Float] {
        Array(floats[number * dimensions..<(number + 1) * dimensions])
    }
}

/// Normally distributed random numbers (Box and Muller).
struct NormalNumbers {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> Float {
        let radius = (-2 * log(Double.random(in: 0x1p-60...1, using: &generator))).squareRoot()
        return Float(radius * cos(Double.random(in: 0..<2 * .pi, using: &generator)))
    }

    mutating func vector(_ dimensions: Int, scale: Float) -> [Float] {
        (0..<dimensions).map { _ in scale * next() }
    }
}

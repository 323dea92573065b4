import Dispatch
import DivanVectors
import Foundation
import Synchronization

/// Vectors, and queries with their true neighbours.
struct VectorSet {
    static let neighbourCount = 10

    /// Its name in files and reports.
    let name: String
    let dimensions: Int
    let count: Int
    /// All vectors, one after another.
    private(set) var floats: [Float]
    let queries: [[Float]]
    /// More vectors of the same kind; `nil` if there are none.
    let more: VectorSource?

    /// Vectors of 2,000 overlapping Gaussian clusters.
    ///
    /// Like embeddings, they have far fewer local dimensions (16) than components, and clusters have neighbours.
    /// Uniform random vectors would have no near neighbours. The spread is chosen so that an inverted file of √count
    /// cells needs as large a share of its cells as on the SIFT data set: 16 of 1,000 cells find 0.956 of the
    /// neighbours.
    init(count: Int, dimensions: Int, spread: Float, queryCount: Int) {
        var source = VectorSource(dimensions: dimensions, spread: spread)
        self.dimensions = dimensions
        self.count = count
        name = "\(dimensions)"
        floats = source.next(count)
        queries = (0..<queryCount).map { _ in source.next(1) }
        more = source
    }

    /// Vectors that `embeddings.py` wrote.
    init(named name: String, dimensions: Int, in folder: String) throws {
        self.name = name
        self.dimensions = dimensions
        floats = try Self.floats(in: "\(folder)/vectors-\(name).f32")
        count = floats.count / dimensions
        let all = try Self.floats(in: "\(folder)/queries-\(name).f32")
        queries = stride(from: 0, to: all.count - dimensions + 1, by: dimensions).map {
            Array(all[$0..<$0 + dimensions])
        }
        more = nil
    }

    private static func floats(in file: String) throws -> [Float] {
        let bytes = try Data(contentsOf: URL(filePath: file))
        return [Float](unsafeUninitializedCapacity: bytes.count / 4) { floats, count in
            // Every bit pattern is a float.
            count = bytes.copyBytes(to: floats) / 4
        }
    }

    subscript(number: Int) -> ArraySlice<Float> {
        floats[number * dimensions..<(number + 1) * dimensions]
    }

    mutating func replace(_ number: Int, by vector: [Float]) {
        floats.replaceSubrange(number * dimensions..<(number + 1) * dimensions, with: vector)
    }

    /// Writes the vectors and the queries as little-endian floats, each in a file.
    func write(to folder: String) throws {
        let place = URL(filePath: folder, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (kind, floats) in [("vectors", floats), ("queries", Array(queries.joined()))] {
            let file = place.appending(path: "\(kind)-\(name).f32")
            try floats.withUnsafeBytes { try Data($0).write(to: file) }
        }
    }

    /// The numbers of the vectors that are nearest to each query, among those that `isCandidate` accepts.
    func neighbours(
        where isCandidate: @Sendable (Int) -> Bool = { _ in true }
    ) throws -> [Set<Int64>] {
        let results = Mutex(
            [Result<Set<Int64>, any Error>](
                repeating: .success([]),
                count: queries.count
            )
        )
        let numbers = (0..<count).filter(isCandidate)
        DispatchQueue.concurrentPerform(iterations: queries.count) { query in
            let result = Result { try neighbours(of: queries[query], among: numbers) }
            results.withLock { $0[query] = result }
        }
        return try results.withLock { try $0.map { try $0.get() } }
    }

    private func neighbours(of query: [Float], among numbers: [Int]) throws -> Set<Int64> {
        var nearest = NearestNeighbors(limit: Self.neighbourCount)
        let target = try VectorQuery(query, metric: .euclideanSquared)
        var distance: [Float] = [0]
        for number in numbers {
            let place = number * dimensions
            let row = floats.span.extracting(place..<place + dimensions)
            try target.distances(to: row.bytes, into: distance.mutableSpan)
            nearest.insert(Int64(number), at: distance[0])
        }
        return Set(nearest.sorted.map(\.id))
    }
}

/// Where the vectors come from.
struct VectorSource {
    private static let clusterCount = 2_000
    private static let localDimensions = 16
    /// The dimensions of the centres, so that they have neighbours too.
    private static let centreDimensions = 18

    private let dimensions: Int
    private let spread: Float
    private let centres: [Float]
    private let axes: [Float]
    private var generator = Gaussian()

    init(dimensions: Int, spread: Float) {
        self.dimensions = dimensions
        self.spread = spread
        let scale = 1 / Float(Self.centreDimensions).squareRoot()
        let lift = generator.vectors(Self.centreDimensions, dimensions, scale: scale)
        var centres = [Float](repeating: 0, count: Self.clusterCount * dimensions)
        for cluster in 0..<Self.clusterCount {
            let place = generator.vectors(1, Self.centreDimensions, scale: 1)
            Self.add(lift[...], times: place, to: &centres, at: cluster * dimensions)
        }
        self.centres = centres
        axes = generator.vectors(
            Self.clusterCount * Self.localDimensions,
            dimensions,
            scale: 0.25
        )
    }

    /// Some vectors, one after another.
    mutating func next(_ count: Int) -> [Float] {
        var floats = [Float](repeating: 0, count: count * dimensions)
        let axisCount = Self.localDimensions * dimensions
        for start in stride(from: 0, to: floats.count, by: dimensions) {
            let cluster = Int(generator.bits() % UInt64(Self.clusterCount))
            for index in 0..<dimensions {
                floats[start + index] =
                    centres[cluster * dimensions + index] + 0.05 * generator.next()
            }
            let amounts = generator.vectors(1, Self.localDimensions, scale: spread)
            let rows = axes[cluster * axisCount..<(cluster + 1) * axisCount]
            Self.add(rows, times: amounts, to: &floats, at: start)
        }
        return floats
    }

    private static func add(
        _ rows: ArraySlice<Float>,
        times factors: [Float],
        to sums: inout [Float],
        at start: Int
    ) {
        let dimensions = rows.count / factors.count
        var place = rows.startIndex
        for factor in factors {
            for index in 0..<dimensions {
                sums[start + index] += factor * rows[place + index]
            }
            place += dimensions
        }
    }
}

/// Normally distributed random numbers (Box and Muller), the same in each run.
struct Gaussian {
    private var source = Xorshift()

    mutating func bits() -> UInt64 { source.next() >> 11 }

    mutating func next() -> Float {
        let first = Float(bits() % (1 << 24) + 1) / Float(1 << 24)
        let second = Float(bits() % (1 << 24)) / Float(1 << 24)
        return (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
    }

    mutating func vectors(_ count: Int, _ dimensions: Int, scale: Float) -> [Float] {
        (0..<count * dimensions).map { _ in scale * next() }
    }
}

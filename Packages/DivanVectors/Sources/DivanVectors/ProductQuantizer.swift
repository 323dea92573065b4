/// Stores each of several equal parts of a vector as the number of its nearest codeword.
///
/// Theory of operation: k-means finds the codewords of each part. A query computes its distance from all codewords
/// once, as a table, and the distance of a code is the sum of one table entry per part. Numbers of `bits` bits are
/// packed from the lowest bit on. All of them exist, so a damaged code gives a wrong distance, but never an
/// access outside the table.
struct ProductQuantizer: Equatable, Sendable {
    let bits: Int
    /// The codewords of each part, `1 << bits` of them.
    let books: [Centroids]

    /// The greatest length of a codeword.
    private let radius: Float

    private var partCount: Int { books[0].dimensions }
    private var codeByteCount: Int { (books.count * bits + 7) / 8 }

    init(bits: Int, books: [Centroids]) {
        self.bits = bits
        self.books = books
        radius = books.reduce(into: 0) { radius, book in
            for word in 0..<book.count {
                radius = max(radius, Float(book[word].span.squaredLength.squareRoot()))
            }
        }
    }

    // MARK: Codes

    /// Returns the squared length of the difference between the vector and what the code stands for.
    func encode(
        _ vector: Span<Float>,
        _ kernels: any VectorKernels,
        appendingTo codes: inout [UInt8]
    ) -> Double {
        var (window, filled): (UInt32, Int) = (0, 0)
        var squaredError = 0.0
        for (part, book) in books.enumerated() {
            let floats = part * book.dimensions..<(part + 1) * book.dimensions
            let (positions, distances) = book.assign(vector.extracting(floats), kernels)
            squaredError += Double(distances[0])
            window |= positions[0] << filled
            filled += bits
            while filled >= 8 {
                codes.append(UInt8(truncatingIfNeeded: window))
                window >>= 8
                filled -= 8
            }
        }
        if filled > 0 { codes.append(UInt8(truncatingIfNeeded: window)) }
        return squaredError
    }

    func decode(_ code: RawSpan, appendingTo vector: inout [Float]) {
        var (window, filled, next): (UInt32, Int, Int) = (0, 0, 0)
        for book in books {
            while filled < bits {
                window |= UInt32(code.byte(at: next)) << filled
                filled += 8
                next += 1
            }
            vector += book[Int(window & (1 << bits - 1))]
            window >>= bits
            filled -= bits
        }
    }

    // MARK: Distances

    /// The distances of a query from all codewords.
    struct Scanner: Sendable {
        fileprivate let table: [Float]
        fileprivate let partCount: Int
        fileprivate let bits: Int
        /// The largest error that the rounding of sums adds to a distance.
        let rounding: Float
    }

    /// Prepares a query: for squared distances, or for negative products.
    func scanner(
        for query: Span<Float>,
        _ kernels: any VectorKernels,
        isProduct: Bool
    ) throws(VectorError) -> Scanner {
        var table: [Float] = []
        table.reserveCapacity(books.count << bits)
        for (part, book) in books.enumerated() {
            let floats = query.extracting(part * book.dimensions..<(part + 1) * book.dimensions)
            if isProduct {
                table += try book.products(with: floats, kernels: kernels).map { -$0 }
            } else {
                table += try book.squaredDistances(from: floats, kernels: kernels)
            }
        }
        // Each entry is a sum over a part, whose terms may cancel each other in a product.
        let count = Float(books.count)
        let length = Float(query.squaredLength.squareRoot())
        let greatest = table.reduce(into: length * radius) { $0 = max($0, $1.magnitude) }
        return Scanner(
            table: table,
            partCount: books.count,
            bits: bits,
            rounding: 1.2e-7 * (Float(books[0].dimensions) + count) * count * greatest
        )
    }
}

extension ProductQuantizer.Scanner {
    func distances(
        to codes: RawSpan,
        _ kernels: any VectorKernels,
        into distances: consuming MutableSpan<Float>
    ) {
        kernels.sums(
            of: table.span,
            subquantizers: partCount,
            bits: bits,
            codes: codes,
            stride: (partCount * bits + 7) / 8,
            into: distances
        )
    }
}

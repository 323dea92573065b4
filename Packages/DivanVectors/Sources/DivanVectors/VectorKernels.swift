/// The inner loops of vector search, for one instruction set.
///
/// Theory of operation: everything above this protocol is arithmetic on whole batches, so that one call
/// covers a block of vectors and nothing but these loops depends on the machine. There are three shapes.
///
/// - **Rows** of floats, one after another: exact distances.
/// - **Panels** of 32 vectors, transposed: one vector against all centroids or codewords, without a sum
///   across lanes at the end of each.
/// - **Codes** of quantized vectors: sums of integer weights, or of table entries.
///
/// All implementations return the same bits for the same input, except for the payload of a NaN. The order of
/// additions is therefore fixed, and products are rounded before they are added. Sums of rows are distributed
/// over 32 lanes, element `i` to lane `i % 32`; then the upper half of the lanes is added to the lower half until
/// one is left. Sums of panels run over the dimensions in order. Sums of tables have 8 lanes. A sum of `n`
/// products differs from the exact one by at most `(n / 32 + 8) * 2⁻²³` times the sum of their magnitudes.
///
/// `KernelContract` checks an implementation. Kernels are called from any thread, and keep no state.
public protocol VectorKernels: Sendable {
    /// A short name for logs and benchmarks, such as `avx2`.
    var name: String { get }

    /// Computes the squared Euclidean distance of each row from the query.
    ///
    /// - Parameters:
    ///   - query: The vector; its count is the number of dimensions.
    ///   - rows: A row of little-endian floats for each distance, at any address.
    ///   - distances: Receives one distance per row.
    func squaredDistances(
        from query: Span<Float>,
        to rows: RawSpan,
        into distances: consuming MutableSpan<Float>
    )

    /// Computes the dot product of each row with the query, and the squared length of each row.
    ///
    /// - Parameters:
    ///   - query: The vector; its count is the number of dimensions.
    ///   - rows: A row of little-endian floats for each product, at any address.
    ///   - products: Receives one product per row.
    ///   - squaredLengths: Receives one squared length per row; as many as products.
    func products(
        of query: Span<Float>,
        with rows: RawSpan,
        into products: consuming MutableSpan<Float>,
        squaredLengths: consuming MutableSpan<Float>
    )

    /// Computes the squared Euclidean distance of each vector in panels from the query.
    ///
    /// - Parameters:
    ///   - query: The vector; its count is the number of dimensions.
    ///   - panels: The other vectors, in the layout of `Centroids`.
    ///   - distances: Receives 32 distances per panel.
    func squaredDistances(
        from query: Span<Float>,
        toPanels panels: Span<Float>,
        into distances: consuming MutableSpan<Float>
    )

    /// Computes the dot product of each vector in panels with the query.
    ///
    /// - Parameters:
    ///   - query: The vector; its count is the number of dimensions.
    ///   - panels: The other vectors, in the layout of `Centroids`.
    ///   - products: Receives 32 products per panel.
    func products(
        of query: Span<Float>,
        withPanels panels: Span<Float>,
        into products: consuming MutableSpan<Float>
    )

    /// Finds the vector in panels with the least squared distance from each point; the first of equals.
    ///
    /// It is 0, with an infinite distance, if no distance is below infinity.
    ///
    /// - Parameters:
    ///   - points: A row of floats for each result.
    ///   - panels: The vectors to choose from, in the layout of `Centroids`.
    ///   - dimensions: The number of dimensions of points and vectors.
    ///   - nearest: Receives the position of a vector per point.
    ///   - distances: Receives its squared distance; as many as `nearest`.
    func nearest(
        to points: Span<Float>,
        inPanels panels: Span<Float>,
        dimensions: Int,
        into nearest: consuming MutableSpan<UInt32>,
        distances: consuming MutableSpan<Float>
    )

    /// Adds the weighted sum of a plane of each code, times `1 << plane.shift`, to the sums.
    ///
    /// Sums are exact.
    ///
    /// - Parameters:
    ///   - plane: Where the fields are in a code; at most 4096 fields.
    ///   - weights: The weight of each field, in the order of `CodePlane.weightIndex(of:)`, within ±8191.
    ///   - codes: A code per sum.
    ///   - stride: The bytes from one code to the next.
    ///   - sums: Receives one addend per code.
    func addSums(
        of plane: CodePlane,
        weights: Span<Int16>,
        codes: RawSpan,
        stride: Int,
        to sums: consuming MutableSpan<Int64>
    )

    /// Sums up the table entries that the numbers of each code select.
    ///
    /// Number `m` selects the entry `m << bits | number`. Numbers are packed from the lowest bit on.
    ///
    /// - Parameters:
    ///   - table: `subquantizers << bits` entries.
    ///   - subquantizers: How many numbers a code has.
    ///   - bits: The bits of a number, 1 to 12.
    ///   - codes: A code per sum.
    ///   - stride: The bytes from one code to the next.
    ///   - sums: Receives one sum per code.
    func sums(
        of table: Span<Float>,
        subquantizers: Int,
        bits: Int,
        codes: RawSpan,
        stride: Int,
        into sums: consuming MutableSpan<Float>
    )
}

/// A part of each code in which every byte has the same number of fields.
///
/// A scalar-quantized component with 6 bits is stored in two planes: its 4 low bits in one, its 2 high bits in
/// another. With `n` bytes, the field of dimension `d` is number `d / n` in byte `d % n`, so 16 neighbouring bytes
/// contain neighbouring dimensions and no shuffling is necessary.
public struct CodePlane: Hashable, Sendable {
    /// The position of the plane's first byte in a code.
    public let byteOffset: Int
    /// The number of bytes.
    public let byteCount: Int
    /// The number of fields in a byte: 1, 2 or 4.
    public let fieldCount: Int
    /// The position of a field's lowest bit in the component.
    public let shift: Int

    /// The number of bits of a field.
    public var fieldBitCount: Int { 8 / fieldCount }

    /// The number of weights, with the zeros that pad each field's weights to a multiple of 16.
    public var weightCount: Int { fieldCount * paddedByteCount }

    private var paddedByteCount: Int { (byteCount + 15) / 16 * 16 }

    /// Describes the plane of a code with `dimensions` components.
    ///
    /// - Parameters:
    ///   - dimensions: The number of components.
    ///   - fieldCount: The number of fields in a byte: 1, 2 or 4.
    ///   - shift: The position of a field's lowest bit in the component.
    ///   - byteOffset: The position of the plane's first byte in a code.
    public init(dimensions: Int, fieldCount: Int, shift: Int = 0, byteOffset: Int = 0) {
        self.byteOffset = byteOffset
        self.byteCount = (dimensions + fieldCount - 1) / fieldCount
        self.fieldCount = fieldCount
        self.shift = shift
    }

    /// Returns where the weight of a dimension is.
    public func weightIndex(of dimension: Int) -> Int {
        dimension / byteCount * paddedByteCount + dimension % byteCount
    }
}

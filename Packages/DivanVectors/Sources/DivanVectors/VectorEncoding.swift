/// How vectors are stored in an index.
public enum VectorEncoding: Hashable, Sendable {
    /// Each component as a little-endian float: exact, 4 bytes per dimension.
    case float32
    /// Each component as a number of 4, 6 or 8 bits between the limits of its dimension.
    case scalar(bits: Int)
    /// The vector in parts of equal length, each as the number of the nearest of `1 << bits` codewords.
    case product(subquantizers: Int, bits: Int)

    /// The number of bytes of a vector.
    public func codeByteCount(dimensions: Int) -> Int {
        switch self {
        case .float32: dimensions * 4
        // Planes of bits, and the squared length as a float.
        case .scalar(let bits):
            CodePlane.planes(dimensions: dimensions, bits: bits).reduce(4) { $0 + $1.byteCount }
        case .product(let subquantizers, let bits): (subquantizers * bits + 7) / 8
        }
    }

    /// Checks that vectors of this length can be encoded.
    ///
    /// Product quantization needs 2 or more subquantizers that divide the dimensions, and 4 to 12 bits.
    ///
    /// - Throws: `VectorError.dimensions` or `.encoding`.
    public func check(dimensions: Int) throws(VectorError) {
        guard 1...VectorLimits.dimensionCount ~= dimensions else { throw .dimensions(dimensions) }
        let isPossible =
            switch self {
            case .float32: true
            case .scalar(let bits): [4, 6, 8].contains(bits)
            case .product(let subquantizers, let bits):
                subquantizers >= 2 && dimensions.isMultiple(of: subquantizers) && 4...12 ~= bits
            }
        guard isPossible else { throw .encoding(self, dimensions: dimensions) }
    }
}

extension VectorEncoding: CustomStringConvertible {
    /// For example `scalar quantization with 8 bits`.
    public var description: String {
        switch self {
        case .float32: "32-bit floats"
        case .scalar(let bits): "scalar quantization with \(bits) bits"
        case .product(let subquantizers, let bits):
            "product quantization with \(subquantizers) parts of \(bits) bits"
        }
    }
}

extension CodePlane {
    /// The planes of a code with 4, 6 or 8 bits per component: the low bits first.
    static func planes(dimensions: Int, bits: Int) -> [CodePlane] {
        if bits == 8 { return [CodePlane(dimensions: dimensions, fieldCount: 1)] }
        let low = CodePlane(dimensions: dimensions, fieldCount: 2)
        if bits == 4 { return [low] }
        return [
            low,
            CodePlane(
                dimensions: dimensions,
                fieldCount: 4,
                shift: 4,
                byteOffset: low.byteCount
            ),
        ]
    }
}

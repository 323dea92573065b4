/// Why vectors cannot be used, trained or read.
public enum VectorError: Error, Equatable, Sendable {
    /// The number of dimensions is outside 1 to `VectorLimits.dimensionCount`.
    case dimensions(Int)
    /// A vector has another number of dimensions than its codec or query.
    case vectorLength(Int, expected: Int)
    /// A component is NaN or infinite; its position.
    case notFinite(position: Int)
    /// A vector of zeros, which has no direction, in a codec for the cosine distance.
    case zeroVector
    /// An encoding does not exist for a number of dimensions.
    case encoding(VectorEncoding, dimensions: Int)
    /// The number of centroids is outside 1 to `VectorLimits.centroidCount`.
    case centroids(Int)
    /// The vectors to train with are missing, or not a whole number of vectors.
    case sample(floatCount: Int)
    /// Training needs more memory than `VectorLimits.trainingByteCount`.
    case trainingMemory(byteCount: Int, limit: Int)
    /// The caller stopped the training.
    case cancelled
    /// Bytes are not a block or codec that this package wrote; the reason.
    case damaged(String)
}

extension VectorError: CustomStringConvertible {
    /// What is wrong, with the values.
    public var description: String {
        switch self {
        case .dimensions(let count):
            "vectors must have 1 to \(VectorLimits.dimensionCount) dimensions, not \(count)"
        case .vectorLength(let count, let expected):
            "the vector has \(count) dimensions, expected \(expected)"
        case .notFinite(let position):
            "component \(position) of the vector is not a finite number"
        case .zeroVector: "a vector of zeros has no cosine distance"
        case .encoding(let encoding, let dimensions):
            "\(encoding) cannot encode vectors of \(dimensions) dimensions"
        case .centroids(let count):
            "an index must have 1 to \(VectorLimits.centroidCount) centroids, not \(count)"
        case .sample(let count):
            "cannot train with \(count) numbers: not one or more complete vectors"
        case .trainingMemory(let count, let limit):
            "training needs \(count >> 20) MiB, more than the limit of \(limit >> 20) MiB"
        case .cancelled: "the training was cancelled"
        case .damaged(let reason): "damaged vectors: \(reason)"
        }
    }
}

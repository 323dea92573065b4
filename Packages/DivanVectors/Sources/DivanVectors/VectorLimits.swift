/// The limits on the size of vectors and on the memory and time of training; all members are maxima.
public enum VectorLimits {
    /// Dimensions of a vector; sums of codes are exact up to this number.
    public static let dimensionCount = 4096
    /// Centroids of an index.
    public static let centroidCount = 64_000
    /// Bytes of a block of centroids: one row of a table.
    public static let blockByteCount = 64 << 10
    /// Bytes that training uses, including its sample.
    public static let trainingByteCount = 256 << 20
    /// Multiplications in one step of a training; about 10 ms with AVX2, 50 ms in plain C.
    public static let stepProductCount = 1 << 27
    /// Vectors per centroid from which k-means chooses where to start.
    public static let seedsPerCentroid = 16
}

/// How far two vectors are apart; a smaller distance is nearer.
///
/// Numbers are stored in files and do not change.
public enum DistanceMetric: UInt8, CaseIterable, Sendable {
    /// The sum of the squared differences.
    case euclideanSquared = 0
    /// The length of the difference.
    case euclidean = 1
    /// One minus the cosine of the angle; 1 if one of the vectors is zero.
    case cosine = 2
    /// The negative dot product.
    case dot = 3
}

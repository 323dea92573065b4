/// How far the estimates of a `CodeScanner` can be from true distances.
///
/// Theory of operation: let `e` be the length of the difference between a vector and what its code stands for. By the
/// triangle inequality, its distance from a query differs from that of the code by at most `e`, and its product with
/// the query by at most `e` times the query's length. The scanner adds a rounding error that depends on the query
/// alone. So a search that keeps each code whose estimate is within these bounds misses no neighbour.
public struct EstimateBounds: Sendable {
    private let metric: DistanceMetric
    private let length: Float
    private let rounding: Float

    /// - Parameters:
    ///   - metric: The metric of the estimates.
    ///   - length: The length of the query.
    ///   - rounding: The largest error of an estimate of a squared distance or product.
    init(metric: DistanceMetric, length: Float, rounding: Float) {
        self.metric = metric
        self.length = length
        self.rounding = rounding
    }

    /// Returns the largest distance that a vector with this estimate can have.
    ///
    /// - Parameters:
    ///   - estimate: What the scanner returned.
    ///   - error: The largest error of the vectors' codes (`VectorCodec.encode`).
    /// - Returns: A distance.
    public func greatestDistance(of estimate: Float, error: Float) -> Float {
        switch metric {
        case .euclideanSquared: squared(estimate + rounding, plus: error)
        case .euclidean: squared(estimate * estimate + rounding, plus: error).squareRoot()
        case .cosine: squared(2 * estimate + rounding, plus: error) / 2 + Self.cosineRounding
        case .dot: estimate + productError(error)
        }
    }

    /// Returns the largest estimate that a vector of at most this distance can have.
    public func greatestEstimate(within distance: Float, error: Float) -> Float {
        switch metric {
        case .euclideanSquared: squared(distance, plus: error) + rounding
        case .euclidean: (squared(distance * distance, plus: error) + rounding).squareRoot()
        case .cosine:
            (squared(2 * (distance + Self.cosineRounding), plus: error) + rounding) / 2
        case .dot: distance + productError(error)
        }
    }

    /// The rounding of one minus a cosine, of up to 4096 dimensions.
    private static let cosineRounding: Float = 1e-5

    /// A length may be infinite, and an error of 0 then adds nothing.
    private func productError(_ error: Float) -> Float {
        error == 0 ? rounding : error * length + rounding
    }

    /// The square of a distance that is greater by `error`, rounded up by more than the kernels' own rounding.
    private func squared(_ distance: Float, plus error: Float) -> Float {
        let root = max(distance, 0).squareRoot() + error
        return root * root * 1.00001
    }
}

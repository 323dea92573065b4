/// The nearest of many candidates, as a heap whose root is the farthest one that is kept.
///
/// Theory of operation: a candidate that is not nearer than the root costs one comparison, and replacing the root
/// costs `log₂ limit` steps. Candidates at the same distance are ordered by their identifiers, so the result does not
/// depend on the order in which blocks are scanned. A distance of NaN is never kept.
public struct NearestNeighbors: Sendable {
    /// A candidate.
    public struct Neighbor: Hashable, Sendable {
        /// The number that the caller uses for the vector.
        public let id: Int64
        /// Its distance.
        public let distance: Float

        fileprivate func isNearer(than other: Neighbor) -> Bool {
            distance < other.distance || (distance == other.distance && id < other.id)
        }
    }

    /// How many are kept.
    public let limit: Int
    // No element is nearer than its children at 2i + 1 and 2i + 2.
    private var heap: [Neighbor] = []

    /// Creates an empty collection; none are kept if the limit is below 1.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The number of kept candidates.
    public var count: Int { heap.count }

    /// The distance beyond which no candidate is kept; infinite until `limit` are kept.
    public var bound: Float {
        guard heap.count >= limit else { return .infinity }
        return heap.first?.distance ?? -.infinity
    }

    /// Keeps a candidate if it is among the nearest so far.
    @inline(__always)
    public mutating func insert(_ id: Int64, at distance: Float) {
        guard distance <= bound else { return }
        insert(Neighbor(id: id, distance: distance))
    }

    private mutating func insert(_ neighbor: Neighbor) {
        if heap.count < limit {
            heap.append(neighbor)
            var child = heap.count - 1
            while child > 0, heap[(child - 1) / 2].isNearer(than: heap[child]) {
                heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        } else if let root = heap.first, neighbor.isNearer(than: root) {
            heap[0] = neighbor
            sink()
        }
    }

    /// Moves the root down until no child is farther.
    private mutating func sink() {
        var parent = 0
        while true {
            var farthest = parent
            for child in 2 * parent + 1..<min(2 * parent + 3, max(heap.count, 2 * parent + 1))
            where heap[farthest].isNearer(than: heap[child]) {
                farthest = child
            }
            if farthest == parent { return }
            heap.swapAt(parent, farthest)
            parent = farthest
        }
    }

    /// The kept candidates, the nearest first.
    public var sorted: [Neighbor] { heap.sorted { $0.isNearer(than: $1) } }
}

/// Estimated distances of many vectors, of which the least ones are removed first.
///
/// A heap: most estimates are never removed, so sorting all of them would cost more.
struct VectorEstimates {
    /// The estimate of one vector.
    struct Estimate {
        let distance: Float
        /// The greatest error of its code.
        let error: Float
        /// The vector's number, or its owner.
        let id: Int64
    }

    // No element is less than its parent: those of i are 2i + 1 and 2i + 2.
    private var heap: [Estimate]

    init(_ estimates: consuming [Estimate]) {
        heap = estimates
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(parent) }
    }

    /// Removes and returns the least estimate.
    mutating func removeLeast() -> Estimate? {
        guard let least = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        return least
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in 2 * parent + 1..<2 * parent + 3
            where child < heap.count && heap[child].distance < heap[least].distance {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

internal import DivanQuery
internal import DivanVectors

/// A piece of work on a vector index.
///
/// Theory of operation: large indexes are trained while the database is used. So a piece is read from a snapshot, is
/// computed without the database, and is stored in a short transaction. The transaction verifies that the index still
/// is what the snapshot showed; otherwise it changes nothing, and the next snapshot shows what to do.
///
/// A training has these pieces:
/// 1. A sample of the vectors gives cells and a codec: the next epoch of the index.
/// 2. The vectors are moved into its cells, many at a time.
/// 3. The cells that have enough of the neighbours are counted, and the epoch becomes the one that queries search. The
///    counting reads all codes, so it takes place in the snapshot; about a second with a million vectors.
/// 4. What the former epoch stored is removed, also in steps.
///
/// After a crash, the next work on the index continues with the next epoch. A trained index gets new vectors in steps, loses
/// the codes of removed vectors once they are a ninth of all, and is trained again once it has four times as many
/// vectors.
public struct VectorIndexWork: Sendable {
    enum Form: Sendable {
        case training(VectorSample)
        case placing(NewVectors, in: SQLiteVectorIndex.Epoch)
        case change(VectorIndexChange.Form)
    }

    let form: Form
    /// What the snapshot showed.
    let basis: VectorIndexChange.Basis

    /// Computes what is to be stored.
    ///
    /// - Parameter isCancelled: Whether to stop; asked between steps of about 10 ms.
    /// - Returns: The change.
    /// - Throws: `VectorError`, for example `cancelled`.
    func finish(isCancelled: () -> Bool) throws(VectorError) -> VectorIndexChange {
        let change: VectorIndexChange.Form
        switch form {
        case .training(let sample): change = try sample.trained(isCancelled: isCancelled)
        case .placing(let vectors, let epoch):
            change = .place(try vectors.placed(isCancelled: isCancelled), in: epoch)
        case .change(let form): change = form
        }
        return VectorIndexChange(form: change, basis: basis)
    }
}

/// A change of a vector index that is ready to be stored.
public struct VectorIndexChange: Sendable {
    enum Form: Sendable {
        /// Begins the next epoch.
        case begin(codec: [UInt8], centroids: [[UInt8]], vectorCount: Int)
        /// Moves vectors into the cells of an epoch.
        case place(PlacedVectors, in: SQLiteVectorIndex.Epoch)
        /// Makes the next epoch the current one.
        case complete(probeCounts: [Int])
        /// Removes codes of removed vectors.
        case clean(CleanedBlocks)
        /// Removes some of what an earlier epoch stored.
        case removeFormer
    }

    /// The epochs that a change is based on.
    struct Basis: Equatable, Sendable {
        let options: QueryVectorOptions
        let current: SQLiteVectorIndex.State?
        let next: SQLiteVectorIndex.State?

        init(_ head: SQLiteVectorIndex.Head) {
            (options, current, next) = (head.options, head.state, head.next)
        }
    }

    let form: Form
    let basis: Basis
}

/// When to work on a vector index.
public struct VectorUpkeep: Hashable, Sendable {
    /// New vectors that may remain in no cell.
    var freshCount = StoreLimits.freshVectorCount
    /// An index is trained again when it has so many times the vectors of its training.
    var growth = 4
    /// The vectors that may be worked on, and the multiplications that this may need; `nil` for any number.
    var vectorCount: Int?
    var productCount = Int.max
    /// The block at which a removal of codes continues, and the bytes of changed blocks in one of its transactions.
    var firstBlock: Int64?
    var cleanedByteCount = StoreLimits.placedVectorByteCount / 2

    /// In the background, or by request.
    static let whole = VectorUpkeep()
    /// Before a query, which waits for it.
    static let quick = VectorUpkeep(
        vectorCount: StoreLimits.fullySearchedVectorCount,
        productCount: StoreLimits.quickVectorProductCount
    )

    /// Whether the work on so many vectors is allowed.
    func allows(_ count: Int, times products: Int) -> Bool {
        guard let vectorCount else { return true }
        let (product, overflow) = count.multipliedReportingOverflow(by: products)
        return count <= vectorCount && !overflow && product <= productCount
    }
}

/// The vectors with which an index is trained.
struct VectorSample: Sendable {
    let options: QueryVectorOptions
    /// One after another; of length 1 for the cosine distance.
    let directions: [Float]
    let floats: [Float]
    /// The number of all vectors.
    let vectorCount: Int

    /// Finds the cells and the codec.
    func trained(isCancelled: () -> Bool) throws(VectorError) -> VectorIndexChange.Form {
        var means = try KMeans(
            directions,
            dimensions: options.dimensions,
            centroids: options.centroidCount,
            seed: 1
        )
        let found = try means.finish(isCancelled: isCancelled)
        // A sample with few different vectors has few centroids.
        let centroids = try found.padded(to: options.centroidCount)
        var training = try CodecTraining(
            options.vectorEncoding,
            dimensions: options.dimensions,
            metric: options.metric.distanceMetric,
            sample: floats,
            seed: 1
        )
        return .begin(
            codec: try training.finish(isCancelled: isCancelled).bytes,
            centroids: try centroids.blocks,
            vectorCount: vectorCount
        )
    }
}

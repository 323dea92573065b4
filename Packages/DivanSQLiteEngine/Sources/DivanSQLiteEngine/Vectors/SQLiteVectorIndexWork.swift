internal import DivanQuery
internal import DivanStorage
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
/// vectors. It is also trained again once its vectors differ from those of the training: if codes of new vectors are
/// imprecise, or if a cell became much larger than the others.
struct SQLiteVectorIndexWork: VectorIndexWork {
    enum Form: Sendable {
        case training(VectorSample)
        case placing(NewVectors, in: SQLiteVectorIndex.Epoch)
        case change(SQLiteVectorIndexChange.Form)
    }

    let form: Form
    /// What the snapshot showed.
    let basis: SQLiteVectorIndexChange.Basis

    func finish(isCancelled: () -> Bool) throws(VectorError) -> any VectorIndexChange {
        let change: SQLiteVectorIndexChange.Form
        switch form {
        case .training(let sample): change = try sample.trained(isCancelled: isCancelled)
        case .placing(let vectors, let epoch):
            change = .place(try vectors.placed(isCancelled: isCancelled), in: epoch)
        case .change(let form): change = form
        }
        return SQLiteVectorIndexChange(form: change, basis: basis)
    }
}

/// A change of a vector index that is ready to be stored.
struct SQLiteVectorIndexChange: VectorIndexChange {
    enum Form: Sendable {
        /// Begins the next epoch.
        case begin(codec: [UInt8], centroids: [[UInt8]], vectorCount: Int)
        /// Moves vectors into the cells of an epoch.
        case place(PlacedVectors, in: SQLiteVectorIndex.Epoch)
        /// Makes the next epoch the current one.
        case complete(probeCounts: [Int], largestShare: Double)
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

    func next(after upkeep: VectorUpkeep) -> VectorUpkeep? {
        var upkeep = upkeep
        switch form {
        case .place(let vectors, _): upkeep.vectorCount? -= vectors.count
        case .clean(let blocks):
            guard let next = blocks.next else { return nil }
            upkeep.firstBlock = next
        default: break
        }
        return upkeep
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
    func trained(isCancelled: () -> Bool) throws(VectorError) -> SQLiteVectorIndexChange.Form {
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

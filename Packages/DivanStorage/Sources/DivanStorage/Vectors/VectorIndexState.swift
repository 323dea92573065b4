public import DivanQuery

/// How far the training of a vector index is.
public struct VectorIndexState: Hashable, Sendable {
    /// The parameters of the index.
    public let options: QueryVectorOptions
    /// Whether vectors are in cells, of which a query searches some; otherwise it compares all vectors.
    public let isTrained: Bool
    /// The number of vectors that the index had when it was trained; 0 if it is not trained.
    public let trainedCount: Int
    /// The number of vectors, if the index is not trained.
    public let untrainedCount: Int
    /// The number of vectors that were added since the training and are in no cell; counted up to a limit.
    public let freshCount: Int
    /// Whether a training has begun and has not ended.
    public let isBeingTrained: Bool
    /// Whether it has so many vectors that counting them, before training it again, is left to the background.
    public let isLarge: Bool
    /// Whether there may be more to do than to move the new vectors.
    let isOutdated: Bool

    /// Creates the state that an engine read.
    public init(
        options: QueryVectorOptions,
        isTrained: Bool,
        trainedCount: Int,
        untrainedCount: Int,
        freshCount: Int,
        isBeingTrained: Bool,
        isLarge: Bool,
        isOutdated: Bool
    ) {
        self.options = options
        self.isTrained = isTrained
        self.trainedCount = trainedCount
        self.untrainedCount = untrainedCount
        self.freshCount = freshCount
        self.isBeingTrained = isBeingTrained
        self.isLarge = isLarge
        self.isOutdated = isOutdated
    }

    /// Whether there is work to do (`VectorIndexWork`).
    public var needsUpkeep: Bool {
        isBeingTrained || isOutdated
            || (isTrained
                ? freshCount > StorageLimits.freshVectorCount
                : untrainedCount >= options.minimumTrainingCount)
    }
}

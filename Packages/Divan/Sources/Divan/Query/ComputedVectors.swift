@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import DivanQuery
internal import DivanRevisions

extension DocumentCollection {
    // Disfavored: in a `Task`, a call with a closure that does not wait would select this form in spite of `await`.

    /// Computes the vectors that a lazy index lacks, because documents were added or changed.
    ///
    /// ```swift
    /// try notes.createIndex("meaning", .vectors("text", dimensions: 384, isLazy: true))
    /// try notes.updateVectors(of: "meaning") { texts in
    ///     try texts.map { try model.vector(of: $0.string ?? "") }
    /// }
    /// ```
    ///
    /// Runs until no document lacks a vector, and stores the vectors after each call of `vectors`. Vectors of documents
    /// that were changed or deleted meanwhile are ignored; changed documents are passed again.
    ///
    /// - Parameters:
    ///   - index: An index that was created with `isLazy` (``Index/vectors(_:dimensions:centroids:metric:isLazy:)``).
    ///   - batch: The maximum number of documents in one call, at least 1.
    ///   - vectors: Receives the values of the index's expression, and returns a vector for each of them, in the same
    ///     order; `nil` for a document without a vector.
    /// - Returns: The number of documents that were passed to `vectors`.
    /// - Throws: ``DivanError/Code/missingIndex``; `unsupported` for an index that is not lazy; `invalidArgument` for
    ///   another number of vectors or dimensions, or numbers that are not finite; `readOnly`; `notOpen`; errors of
    ///   `vectors`.
    @_disfavoredOverload
    @discardableResult
    public func updateVectors(
        of index: String,
        batch: Int = 50,
        _ vectors: (_ values: [DocumentValue]) throws -> [[Float]?]
    ) throws -> Int {
        let update = try VectorUpdate(of: index, in: self, batch: batch)
        var count = 0
        while let pending = try update.next() {
            try update.store(try vectors(pending.values), for: pending)
            count += pending.values.count
        }
        return count
    }

    /// Computes the vectors that a lazy index lacks; see the synchronous form.
    ///
    /// Cancelling the task stops it after the running call of `vectors`.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func updateVectors(
        of index: String,
        batch: Int = 50,
        _ vectors: @Sendable (_ values: [DocumentValue]) async throws -> [[Float]?]
    ) async throws -> Int {
        let update = try VectorUpdate(of: index, in: self, batch: batch)
        var count = 0
        while let pending = try await Background.reading({ try update.next() }) {
            let found = try await vectors(pending.values)
            try await database.writing { try update.store(found, for: pending) }
            count += pending.values.count
        }
        return count
    }
}

/// Reads the documents whose vectors a lazy index lacks, and stores these.
private struct VectorUpdate: Sendable {
    /// The next documents: the sequence of each, and the value from which its vector is computed.
    struct Pending: Sendable {
        let sequences: [Int64]
        let values: [DocumentValue]
        /// The definition of the index.
        let source: String
    }

    private let name: ExactText
    private let collection: DocumentCollection
    private let batch: Int

    init(of index: String, in collection: DocumentCollection, batch: Int) throws {
        name = ExactText(index)
        self.collection = collection
        self.batch = batch
        guard batch > 0 else {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem: "\(batch) documents in one call",
                remedy: "pass at least one"
            )
        }
    }

    private var place: String { "\(collection.place), index \(name)" }

    /// `nil` if the index is complete.
    func next() throws -> Pending? {
        try DivanError.converting(place: place) {
            let (store, path) = (
                try collection.official.openedStore(), collection.official.storePath
            )
            // Read first: if the index is replaced meanwhile, these vectors are ignored.
            let source = try index(store, path)?.source ?? ""
            guard let pending = try store.pendingVectors(of: name, in: path, limit: batch) else {
                throw try refusal(store, path)
            }
            guard !pending.isEmpty else { return nil }
            let contents = BlobContents(database: collection.database.official)
            return Pending(
                sequences: pending.map(\.sequence),
                values: pending.map { DocumentValue($0.value.json ?? .null, contents) },
                source: source
            )
        }
    }

    func store(_ vectors: [[Float]?], for pending: Pending) throws {
        try DivanError.converting(place: place) {
            let (store, path) = (
                try collection.official.openedStore(), collection.official.storePath
            )
            guard let index = try index(store, path),
                let dimensions = index.vectors?.options.dimensions
            else { throw try refusal(store, path) }
            // Another index of this name needs other vectors.
            guard index.source == pending.source else { return }
            try require(
                vectors.count == pending.values.count,
                "\(vectors.count) vectors for \(pending.values.count) values",
                "return one vector, or nil, for each value"
            )
            for vector in vectors.lazy.compactMap({ $0 }) {
                try require(
                    vector.count == dimensions,
                    "a vector has \(vector.count) dimensions, but the index has \(dimensions)",
                    "create the index with the dimensions of the model"
                )
                try require(
                    vector.allSatisfy(\.isFinite),
                    "a vector contains NaN or an infinite number",
                    "return nil for a value without a vector"
                )
            }
            let found = zip(pending.sequences, vectors).map { (sequence: $0, vector: $1) }
            try store.setVectors(found, of: name, in: path)
        }
    }

    private func index(_ store: Store, _ path: CollectionPath) throws -> StoredIndex? {
        try store.read { try $0.indexes(in: path) }.first { $0.name == name }
    }

    private func refusal(_ store: Store, _ path: CollectionPath) throws -> DivanError {
        guard try index(store, path) != nil else {
            return DivanError(
                .missingIndex,
                place: place,
                problem: "there is no such index",
                remedy: "create it with createIndex(_:_:)"
            )
        }
        return DivanError(
            .unsupported,
            place: place,
            problem: "it is not a lazy vector index",
            remedy: "create it with .vectors(…, isLazy: true)"
        )
    }

    private func require(
        _ condition: Bool,
        _ problem: @autoclosure () -> String,
        _ remedy: String
    ) throws {
        guard !condition else { return }
        throw DivanError(.invalidArgument, place: place, problem: problem(), remedy: remedy)
    }
}

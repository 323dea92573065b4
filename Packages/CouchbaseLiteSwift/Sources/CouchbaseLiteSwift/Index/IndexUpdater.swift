import DivanDatabase
import DivanJSON
import DivanQuery
public import Foundation

extension QueryIndex {
    /// Begins to update a lazy vector index: returns the next documents that have no vector in it yet.
    ///
    /// Documents are in the order in which they were saved. Those where the index's expression is MISSING need no
    /// vector. Nothing changes until ``IndexUpdater/finish()``.
    ///
    /// ```swift
    /// while let updater = try index.beginUpdate(limit: 50) {
    ///     for (number, text) in updater.enumerated() {
    ///         try updater.setVector(model.vector(of: text), at: number)
    ///     }
    ///     try updater.finish()
    /// }
    /// ```
    ///
    /// - Parameter limit: The largest number of documents, at least 1.
    /// - Returns: The values; `nil` if the index is up to date.
    /// - Throws: `CBLError.invalidParameter` for a limit of 0, `unsupported` for an index that is not lazy, `notOpen`.
    public func beginUpdate(limit: UInt64) throws -> IndexUpdater? {
        guard limit > 0 else {
            throw NSError(CBLError.invalidParameter, "the limit of an update must be at least 1")
        }
        let (store, path) = (try collection.openStore(), collection.path)
        let pending = try translatingErrors {
            try store.pendingVectors(of: ExactText(name), in: path, limit: Int(clamping: limit))
        }
        guard let pending else {
            throw NSError(
                CBLError.unsupported,
                "index \(name) is not a lazy vector index; create it with isLazy = true"
            )
        }
        guard !pending.isEmpty else { return nil }
        let index = try translatingErrors {
            try store.read { try $0.indexes(in: path) }.first { $0.name == ExactText(name) }
        }
        guard let dimensions = index?.vectors?.options.dimensions else { return nil }
        return IndexUpdater(pending, dimensions: dimensions, of: self)
    }
}

/// The values from which the application computes the vectors of a lazy index, and these vectors.
///
/// Set or skip the vector of each value, then call ``finish()``. Vectors are in memory until then. Use an updater on one
/// thread at a time. An index outside `0..<count` stops the program.
public final class IndexUpdater: ArrayProtocol, Sequence {
    private enum Vector {
        case undecided
        case skipped
        case set([Float]?)
    }

    private let index: QueryIndex
    private let dimensions: Int
    private let sequences: [Int64]
    private let values: ArrayObject
    private var vectors: [Vector]
    private var isFinished = false

    init(_ pending: [PendingVector], dimensions: Int, of index: QueryIndex) {
        self.index = index
        self.dimensions = dimensions
        sequences = pending.map(\.sequence)
        let values = pending.map { $0.value.json ?? .null }
        self.values = ArrayObject(Elements(values, in: index.collection.database))
        vectors = pending.map { _ in .undecided }
    }

    // MARK: Vectors

    /// Sets the vector of a value; `nil` means that its document has none, and removes an earlier one.
    ///
    /// - Throws: `CBLError.invalidParameter` for another number of dimensions or a number that is not finite;
    ///   `unsupported` after ``finish()``.
    public func setVector(_ vector: [Float]?, at index: Int) throws {
        try requireUnfinished()
        requireValue(at: index)
        if let vector {
            guard vector.count == dimensions else {
                throw NSError(
                    CBLError.invalidParameter,
                    "the vector has \(vector.count) dimensions, but the index has \(dimensions)"
                )
            }
            guard vector.allSatisfy(\.isFinite) else {
                throw NSError(
                    CBLError.invalidParameter,
                    "the vector contains NaN or an infinite number"
                )
            }
        }
        vectors[index] = .set(vector)
    }

    /// Leaves a value for a later update.
    public func skipVector(at index: Int) {
        requireValue(at: index)
        guard !isFinished else { stopForMisuse("The update of an index is already finished") }
        vectors[index] = .skipped
    }

    /// Stores the vectors.
    ///
    /// Vectors of documents that were changed or deleted since the update began are ignored. The next update returns
    /// changed documents again.
    ///
    /// - Throws: `CBLError.unsupported` if a vector was neither set nor skipped, or for a second call; `notOpen`.
    public func finish() throws {
        try requireUnfinished()
        var found: [(sequence: Int64, vector: [Float]?)] = []
        for (number, vector) in vectors.enumerated() {
            switch vector {
            case .undecided:
                throw NSError(
                    CBLError.unsupported,
                    "vector \(number) was neither set nor skipped"
                )
            case .skipped: continue
            case .set(let vector): found.append((sequences[number], vector))
            }
        }
        let (store, path) = (try index.collection.openStore(), index.collection.path)
        try translatingErrors {
            try store.setVectors(found, of: ExactText(index.name), in: path)
        }
        isFinished = true
        vectors = []
    }

    private func requireUnfinished() throws {
        guard isFinished else { return }
        throw NSError(CBLError.unsupported, "the update of the index is already finished")
    }

    private func requireValue(at index: Int) {
        guard sequences.indices.contains(index) else {
            stopForMisuse("Vector index \(index) is outside 0..<\(count)")
        }
    }

    // MARK: Values

    /// Number of values.
    public var count: Int { values.count }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob` or a container.
    public func value(at index: Int) -> Any? { values.value(at: index) }

    /// Returns the string, or `nil` if the value is not a string.
    public func string(at index: Int) -> String? { values.string(at: index) }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public func number(at index: Int) -> NSNumber? { values.number(at: index) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int(at index: Int) -> Int { values.int(at: index) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public func int64(at index: Int) -> Int64 { values.int64(at: index) }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public func float(at index: Int) -> Float { values.float(at: index) }

    /// Returns the number, 1 for true, otherwise 0.
    public func double(at index: Int) -> Double { values.double(at: index) }

    /// Returns false if the value is null, false or zero; otherwise true.
    public func boolean(at index: Int) -> Bool { values.boolean(at: index) }

    /// Returns the date that the string represents, or `nil`; local time if it has no time zone.
    public func date(at index: Int) -> Date? { values.date(at: index) }

    /// Returns the blob, or `nil` if the value is not a blob.
    public func blob(at index: Int) -> Blob? { values.blob(at: index) }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(at index: Int) -> ArrayObject? { values.array(at: index) }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(at index: Int) -> DictionaryObject? { values.dictionary(at: index) }

    /// Returns a deep copy as plain collections.
    public func toArray() -> [Any] { values.toArray() }

    /// Returns the values as JSON text.
    public func toJSON() -> String { values.toJSON() }

    /// Returns an iterator over the values.
    public func makeIterator() -> AnyIterator<Any> { values.makeIterator() }

    /// The fragment at `index`, whether or not a value exists there.
    public subscript(index: Int) -> Fragment { values[index] }
}

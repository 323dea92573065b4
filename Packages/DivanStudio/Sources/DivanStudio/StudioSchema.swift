import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery
import DivanREST
import DivanRevisions

/// The properties of a collection's documents, found in a sample, and indexes that may help its queries.
struct StudioSchema: Sendable {
    private let store: Store
    private let limits: StudioLimits

    init(_ configuration: StudioConfiguration) {
        store = configuration.store
        limits = configuration.limits
    }

    /// The schema of the collection that a request names.
    func page(_ target: HTTPTarget) throws -> JSON {
        let path = try StudioRequestTarget.collection(target)
        return try store.readLiving { reader in
            let sample = try sample(of: path, reader)
            let indexed = try reader.indexes(in: path).map(\.summary)
            return [
                "collection": .string("\(path)"), "count": JSON(try reader.count(in: path)),
                "sampled": JSON(sample.documentCount), "properties": sample.json,
                "suggestions": sample.suggestions(besides: indexed),
            ]
        }
    }

    /// Documents at the beginning of the list of IDs, and those that changed last: they seldom look alike.
    private func sample(of path: CollectionPath, _ reader: StoreReader) throws -> PropertySample {
        var sample = PropertySample(limits)
        let count = max(1, limits.sampleCount / 2)
        var ids = try reader.documentIDs(in: path, after: nil, limit: count)
        let last = try reader.lastSequence(in: path)
        let start = last - min(last, UInt64(clamping: count))
        let known = Set(ids)
        ids += try reader.changes(in: path, after: start, limit: count).map(\.documentID)
            .filter { !known.contains($0) }
        for id in ids where !sample.isFull {
            guard let body = try Self.body(of: id, in: path, reader) else { continue }
            sample.count(body)
        }
        return sample
    }

    /// The body of a document; `nil` if it is deleted or damaged.
    private static func body(
        of id: DocumentID,
        in path: CollectionPath,
        _ reader: StoreReader
    ) throws(StoreError) -> [UInt8]? {
        do {
            return try reader.document(id, in: path)?.body
        } catch {
            guard error.concernsOneDocument else { throw error }
            return nil
        }
    }
}

/// Counts the properties of documents, also below other properties.
struct PropertySample {
    /// The type of a value.
    private enum Kind: String {
        case null, boolean, integer, number, string, array, object, blob

        /// Whether an index orders such values in a useful way.
        var isIndexed: Bool { self == .integer || self == .number || self == .string }

        init(_ value: JSON) {
            switch value {
            case .null: self = .null
            case .bool: self = .boolean
            case .int, .uint: self = .integer
            case .double, .long: self = .number
            case .string: self = .string
            case .array: self = .array
            case .object(let members): self = members["@type"]?.string == "blob" ? .blob : .object
            }
        }
    }

    private struct Entry {
        var count = 0
        var kinds: [Kind: Int] = [:]
        var values: Set<[UInt8]> = []
        var examples: [JSON] = []
    }

    /// Steps from the document to a property.
    private static let depth = 4
    /// Examples of a property, and bytes of one.
    private static let (exampleCount, exampleByteCount) = (3, 60)
    /// Indexes that are suggested.
    private static let suggestionCount = 5

    private let limits: StudioLimits
    private var entries: [[ExactText]: Entry] = [:]
    private var rest: Int
    /// Documents that were counted.
    private(set) var documentCount = 0

    init(_ limits: StudioLimits) {
        self.limits = limits
        rest = limits.sampleByteCount
    }

    /// Whether further documents are not counted.
    var isFull: Bool { rest <= 0 || documentCount >= limits.sampleCount }

    /// Counts a document; one that would fill the sample alone is left out.
    mutating func count(_ body: [UInt8]) {
        guard body.count <= limits.sampleByteCount,
            let document = try? JSON(parsing: body, limits: StorageLimits.bodyText).object
        else { return }
        rest -= body.count
        documentCount += 1
        count(document, below: [])
    }

    private mutating func count(_ object: JSONObject, below path: [ExactText]) {
        for (key, value) in object {
            let place = path + [ExactText(key)]
            guard entries[place] != nil || entries.count < limits.propertyCount else { continue }
            note(value, at: place)
            guard let inner = value.object, place.count < Self.depth, inner["@type"] == nil else {
                continue
            }
            count(inner, below: place)
        }
    }

    private mutating func note(_ value: JSON, at place: [ExactText]) {
        var entry = entries[place] ?? Entry()
        entry.count += 1
        entry.kinds[Kind(value), default: 0] += 1
        if let text = Self.short(value), entry.values.insert(text).inserted,
            entry.examples.count < Self.exampleCount
        {
            entry.examples.append(value)
        }
        entries[place] = entry
    }

    /// The text of a value that is short enough for an example.
    private static func short(_ value: JSON) -> [UInt8]? {
        switch value {
        case .array, .object, .null: return nil
        case .string(let text) where text.utf8.count > exampleByteCount: return nil
        default: return try? value.canonicalBytes()
        }
    }

    /// The properties in the order of their paths.
    var json: JSON {
        let sorted = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return .array(
            sorted.map { path, entry in
                [
                    "path": .string(Self.written(path)), "depth": JSON(path.count),
                    "count": JSON(entry.count),
                    "types": .object(JSONObject(entry.kinds.map { ($0.rawValue, JSON($1)) })),
                    "examples": .array(entry.examples),
                ]
            }
        )
    }

    /// Indexes of properties that most documents have, with many different values.
    func suggestions(besides indexed: [String]) -> JSON {
        let useful = entries.filter { path, entry in
            entry.count * 2 >= documentCount && entry.values.count >= 3
                && entry.values.count * 10 >= entry.count
                && entry.kinds.keys.allSatisfy(\.isIndexed)
                && !indexed.contains(Self.written(path))
        }
        let sorted = useful.sorted { left, right in
            left.value.values.count != right.value.values.count
                ? left.value.values.count > right.value.values.count
                : left.key.lexicographicallyPrecedes(right.key)
        }
        return .array(
            sorted.prefix(Self.suggestionCount).map { path, entry in
                [
                    "expression": .string(Self.written(path)),
                    "values": JSON(entry.values.count), "count": JSON(entry.count),
                ]
            }
        )
    }

    /// A path in SQL++.
    private static func written(_ path: [ExactText]) -> String {
        QueryExpression(.property(QueryPath(path.map { .key($0) }))).sql
    }
}

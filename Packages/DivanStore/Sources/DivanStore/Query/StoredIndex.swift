internal import DivanFullText
public import DivanJSON
public import DivanQuery
internal import DivanRevisions

/// An index of a collection.
public struct StoredIndex: Hashable, Sendable {
    /// The sorts of indexes; the raw values are stored.
    public enum Kind: String, Sendable {
        /// Values of expressions.
        case value
        /// Items of an array.
        case array
        /// Words of text.
        case fullText
    }

    /// Its name, one among those of its collection.
    public let name: ExactText
    /// The sort.
    public let kind: Kind
    /// What was given when it was made, for people.
    public let source: String
    /// How text becomes words, as FTS5 is told; `nil` where there are none.
    public let tokenizer: String?

    /// Whether it takes a word of a text for a part of a longer one, because it was made for languages
    /// with blanks between words, and the text has none.
    public func hidesWords(of text: String) -> Bool {
        tokenizer?.hasPrefix("divan1 ") == true && FullText.hasNoBlanks(text)
    }

    /// What it holds, for people: `price, LOWER(name) WHERE stars > 3`, `the items of tags`,
    /// `number of the items of contacts[].phones`.
    public var summary: String {
        guard kind == .array, let place = source.ranges(of: " OF ").last else { return source }
        let items = "the items of \(source[place.upperBound...])"
        let expressions = source[..<place.lowerBound]
        return expressions.isEmpty ? items : "\(expressions) of \(items)"
    }
}

extension StoreReader {
    /// The indexes of a collection, by the bytes of their names.
    public func indexes(in path: CollectionPath) throws(StoreError) -> [StoredIndex] {
        try current().indexRecords(of: collection(path).id).map(\.stored)
    }
}

extension StoreWriter {
    /// Makes an index of the documents that are there; later ones come in with their save.
    ///
    /// Does nothing where the same index has the name already; another one is replaced.
    ///
    /// - Parameters:
    ///   - name: Any text that is not empty.
    ///   - definition: What it holds.
    ///   - source: The definition as a person gave it; part of what makes two the same.
    ///   - path: The collection.
    /// - Throws: `QueryError` for what cannot be indexed, too deep expressions among it; `StoreError`.
    public func createIndex(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        source: String = "",
        in path: CollectionPath
    ) throws {
        let collection = try collection(path).id
        let translation = try SQLIndexTranslation(
            definition,
            name: name,
            table: SQLiteSchema.table(collection)
        )
        let record = IndexRecord(name, definition.kind, source: source, translation)
        let known = try current().indexRecords(of: collection)
        if known.contains(record) { return }
        try deleteIndex(name, in: path)
        let kept = try current().indexRecords(of: collection).flatMap(\.tables).map(\.name)
        // What is left of an index whose record was damaged, so that nobody knew of it.
        try changing().changeIndexes(record.drop)
        for table in record.tables.reversed() where !kept.contains(table.name) {
            try changing().changeIndexes(table.drop)
        }
        do throws(StoreError) {
            for table in record.tables where !kept.contains(table.name) {
                try changing().changeIndexes(table.create)
            }
            try changing().changeIndexes(record.create)
        } catch {
            // The expressions of an index have no sub-queries, so they cannot be divided.
            if error.isTooDeep { throw QueryError.tooDeep }
            throw error
        }
        try setValue(record.value, for: IndexRecord.key(name, in: collection), in: .indexes)
    }

    /// Removes an index; does nothing when there is none.
    public func deleteIndex(_ name: ExactText, in path: CollectionPath) throws(StoreError) {
        let collection = try collection(path).id
        var records = try current().indexRecords(of: collection)
        guard let place = records.firstIndex(where: { $0.name == name }) else { return }
        let record = records.remove(at: place)
        try changing().changeIndexes(record.drop)
        let kept = records.flatMap(\.tables).map(\.name)
        // The inner tables first: their triggers stand on the outer ones.
        for table in record.tables.reversed() where !kept.contains(table.name) {
            try changing().changeIndexes(table.drop)
        }
        try setValue(nil, for: IndexRecord.key(name, in: collection), in: .indexes)
    }

    /// Makes every index of a collection anew from its documents.
    ///
    /// - Throws: `corrupt` where it is lost what an index holds: it has to be made again.
    public func rebuildIndexes(in path: CollectionPath) throws(StoreError) {
        let id = try collection(path).id
        if let name = try current().damagedIndexNames(of: id).first {
            throw StoreError(
                .corrupt(
                    "what the index \(name.text) of \(path) holds is lost; make it again under its name"
                )
            )
        }
        let records = try current().indexRecords(of: id)
        var tables: [IndexRecord.Table] = []
        for table in records.flatMap(\.tables) where !tables.contains(table) {
            tables.append(table)
        }
        for record in records { try changing().changeIndexes(record.drop) }
        for table in tables.reversed() { try changing().changeIndexes(table.drop) }
        for table in tables { try changing().changeIndexes(table.create) }
        for record in records { try changing().changeIndexes(record.create) }
    }

    /// Makes them anew, and makes sure that they then say what the documents do.
    ///
    /// - Throws: `corrupt` where they do not; the collection has then the indexes of before.
    public func reindex(_ path: CollectionPath) throws(StoreError) {
        try rebuildIndexes(in: path)
        try changing().verifyIndexes(of: collection(path).id)
    }

    func forgetIndexes(of collection: OpenCollection) throws(StoreError) {
        for record in try current().indexRecords(of: collection.id) {
            let key = IndexRecord.key(record.name, in: collection.id)
            try setValue(nil, for: key, in: .indexes)
        }
    }
}

extension QueryIndexDefinition {
    var kind: StoredIndex.Kind {
        switch self {
        case .value: .value
        case .array: .array
        case .fullText: .fullText
        }
    }
}

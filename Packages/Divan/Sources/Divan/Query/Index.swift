internal import CouchbaseLiteSwift

/// What an index of a collection contains.
///
/// ```swift
/// try notes.createIndex("byDate", .values("created", "title"))
/// try notes.createIndex("words", .text("title", "body", language: "en"))
/// try photos.createIndex("faces", .vectors("embedding", dimensions: 512))
/// ```
///
/// Expressions are paths such as `address.city`, or any SQL++ expression on a document.
public struct Index: Sendable {
    let official: any IndexConfiguration

    /// Values in sorted order, for conditions, sorting and grouping.
    ///
    /// - Parameters:
    ///   - expressions: The values, the most important one first.
    ///   - condition: An SQL++ condition; only documents that meet it are in the index.
    /// - Returns: The definition.
    public static func values(_ expressions: String..., where condition: String? = nil) -> Index {
        Index(official: ValueIndexConfiguration(expressions, where: condition))
    }

    /// The words of texts, for `DocumentCollection.search(_:index:as:limit:)` and `MATCH()`.
    ///
    /// The words of an array or object are those of all texts in it: use `items` for the names in
    /// `{"items":[{"name":"pen"}]}`. The path `items.name` has no value there, so nothing would be found; `explain` shows
    /// this.
    ///
    /// - Parameters:
    ///   - expressions: The texts.
    ///   - language: A language code such as `en`, whose inflected forms are treated as equal; `nil` for none.
    ///   - ignoresAccents: Whether `e` also finds `é`.
    ///   - condition: An SQL++ condition; only documents that meet it are in the index.
    /// - Returns: The definition.
    public static func text(
        _ expressions: String...,
        language: String? = nil,
        ignoresAccents: Bool = false,
        where condition: String? = nil
    ) -> Index {
        Index(
            official: FullTextIndexConfiguration(
                expressions,
                where: condition,
                ignoreAccents: ignoresAccents,
                language: language
            )
        )
    }

    /// The text for `DocumentQuery.matching(_:index:isRanked:)` that finds documents with all words of an input.
    ///
    /// Operators, quotation marks, stars and other signs have no special meaning, so any input is valid:
    ///
    /// ```swift
    /// let found = try notes.search(Index.searchText(escaping: input), index: "words")
    /// ```
    ///
    /// Words that only signs separate, as in `well-known`, must follow each other. An input without words finds nothing.
    /// A query throws ``DivanError/Code/invalidQuery`` for more than 1,000 words.
    ///
    /// - Parameters:
    ///   - input: What a user entered.
    ///   - completing: Whether the last word is the beginning of a word, for a search during the input.
    /// - Returns: The text; also for `MATCH()` in SQL++.
    public static func searchText(escaping input: String, completing: Bool = false) -> String {
        // By scalars: a quotation mark followed by a combining mark is another character.
        let signs: [Unicode.Scalar] = ["\"", "*", "\u{0}"]
        let words = input.unicodeScalars.split {
            $0.properties.isWhitespace || signs.contains($0)
        }
        return words.indices.map { index in
            let isBeginning = completing && index == words.indices.last
            return "\"\(Substring(words[index]))\(isBeginning ? "*" : "")\""
        }
        .joined(separator: " ")
    }

    /// The items of an array, for `UNNEST`.
    ///
    /// - Parameters:
    ///   - path: The path of the array.
    ///   - expressions: Values of each item; none for the items themselves.
    /// - Returns: The definition.
    public static func items(of path: String, _ expressions: String...) -> Index {
        let expressions = expressions.filter { !$0.isEmpty }
        return Index(
            official: ArrayIndexConfiguration(
                path: path,
                expressions: expressions.isEmpty ? nil : expressions
            )
        )
    }

    /// Vectors, for `DocumentCollection.nearest(to:in:limit:as:)`.
    ///
    /// - Parameters:
    ///   - expression: The vectors: arrays of numbers, or base64 of 32-bit floats. With `isLazy`, the values from which
    ///     vectors are computed.
    ///   - dimensions: The number of numbers in each vector, 2 to 4096.
    ///   - centroids: The number of groups that vectors are divided into, about the square root of their number.
    ///   - metric: How distances are measured.
    ///   - isLazy: Whether the program computes the vectors with `DocumentCollection.updateVectors(of:batch:_:)`. They are
    ///     in the index only, so they are not synced.
    /// - Returns: The definition.
    public static func vectors(
        _ expression: String,
        dimensions: Int,
        centroids: Int = 64,
        metric: Metric = .euclidean,
        isLazy: Bool = false
    ) -> Index {
        var configuration = VectorIndexConfiguration(
            expression: expression,
            dimensions: UInt32(clamping: dimensions),
            centroids: UInt32(clamping: centroids)
        )
        configuration.metric = metric.official
        configuration.isLazy = isLazy
        return Index(official: configuration)
    }

    /// How the distance of two vectors is measured.
    public enum Metric: Sendable {
        /// The length of the difference.
        case euclidean
        /// One minus the cosine of the angle.
        case cosine
        /// The negative inner product.
        case dot

        fileprivate var official: DistanceMetric {
            switch self {
            case .euclidean: .euclidean
            case .cosine: .cosine
            case .dot: .dot
            }
        }
    }
}

extension DocumentCollection {
    /// Creates an index, or replaces a different one of the same name; does nothing if it exists.
    ///
    /// Indexes are local to the database and are not synced.
    ///
    /// - Throws: ``DivanError/Code/invalidQuery`` for an invalid expression; `readOnly`; `notOpen`.
    public func createIndex(_ name: String, _ index: Index) throws {
        try DivanError.converting(place: "\(place), index \(name)") {
            try official.createIndex(withName: name, config: index.official)
        }
    }

    /// Deletes an index; does nothing if it does not exist.
    ///
    /// - Throws: ``DivanError/Code/readOnly``; `notOpen`.
    public func deleteIndex(_ name: String) throws {
        try DivanError.converting(place: "\(place), index \(name)") {
            try official.deleteIndex(forName: name)
        }
    }

    /// The names of all indexes.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public var indexes: [String] {
        get throws {
            try DivanError.converting(place: place) { try official.indexes() }
        }
    }
}

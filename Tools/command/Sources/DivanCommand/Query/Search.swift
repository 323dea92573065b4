import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions

/// Ranked lists of documents of a collection, one for each index, and their fusion.
///
/// Theory. Ranks by words and distances of vectors have no common scale. Reciprocal rank fusion uses only the positions:
/// a document scores 1 / (60 + rank) in each list that contains it, and the sums decide (Cormack, Clarke and
/// Büttcher, SIGIR 2009).
struct Search {
    /// A document that at least one index found.
    struct Hit: Equatable {
        let documentID: DocumentID
        /// The sum of 1 / (60 + rank); at most the number of indexes divided by 61.
        fileprivate(set) var score: Double
        /// The ranks in the lists that contain it, beginning with 1.
        fileprivate(set) var ranks: [(index: String, rank: Int)]

        static func == (left: Hit, right: Hit) -> Bool {
            left.documentID == right.documentID && left.score == right.score
                && left.ranks.elementsEqual(right.ranks, by: ==)
        }
    }

    /// How many documents of each list count.
    static let listLength = 100
    private static let constant = 60.0

    private let collection: String
    private let condition: String
    private var found: [DocumentID: Hit] = [:]

    init(_ collection: CollectionPath, where condition: String?) {
        self.collection = Self.place(of: collection)
        self.condition = condition.map { "(\($0))" } ?? ""
    }

    /// The documents by descending score, and by ID if it is equal.
    var hits: [Hit] {
        found.values.sorted { left, right in
            guard left.score == right.score else { return left.score > right.score }
            return left.documentID < right.documentID
        }
    }

    /// Adds a list of documents, best first.
    mutating func add(_ documentIDs: [DocumentID], of index: String) {
        for (place, documentID) in documentIDs.prefix(Self.listLength).enumerated() {
            var hit = found[documentID] ?? Hit(documentID: documentID, score: 0, ranks: [])
            hit.score += 1 / (Self.constant + Double(place + 1))
            hit.ranks.append((index, place + 1))
            found[documentID] = hit
        }
    }

    /// Adds the documents with these words.
    mutating func add(
        wordsOf index: StoredIndex,
        _ text: String,
        _ session: inout QuerySession
    ) throws {
        let name = Self.quoted(index.name.text)
        let conditions = ["MATCH(\(name), $text)", condition].filter { !$0.isEmpty }
        try add(
            """
            SELECT META().id FROM \(collection) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY RANK(\(name)) DESC LIMIT \(Self.listLength)
            """,
            ["text": .string(text)],
            of: index.name.text,
            &session
        )
    }

    /// Adds the documents with the nearest vectors.
    mutating func add(
        nearestIn index: QueryVectorIndex,
        _ vector: [UInt8],
        _ session: inout QuerySession
    ) throws {
        let distance = "APPROX_VECTOR_DISTANCE(\(index.expression), $vector)"
        try add(
            """
            SELECT META().id FROM \(collection) \(condition.isEmpty ? "" : "WHERE \(condition)")
            ORDER BY \(distance) LIMIT \(Self.listLength)
            """,
            ["vector": .container(vector)],
            of: index.name.text,
            &session
        )
    }

    private mutating func add(
        _ question: String,
        _ parameters: [ExactText: QueryValue],
        of index: String,
        _ session: inout QuerySession
    ) throws {
        session.parameters = parameters
        let rows = try session.rows(of: session.query(question))
        let ids = rows.compactMap { row -> DocumentID? in
            if case .string(let id)? = row.first { DocumentID(unchecked: id) } else { nil }
        }
        add(ids, of: index)
    }

    /// A collection as a source of a query.
    static func place(of collection: CollectionPath) -> String {
        "\(quoted(collection.scope)).\(quoted(collection.name))"
    }

    private static func quoted(_ name: String) -> String {
        "`\(name.spelling("`", as: "``"))`"
    }
}

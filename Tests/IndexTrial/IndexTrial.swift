public import DivanDatabase
import DivanJSON
import DivanQuery

/// Asks a database the same questions with its indexes and without; trials that kill processes do so with
/// the databases that they find.
public struct IndexTrial {
    /// Rows that are returned with indexes but not by scans, or the other way round.
    public struct Difference: Error, CustomStringConvertible {
        /// The question, and how many rows there were.
        public let description: String
    }

    /// What was asked.
    public struct Count: Sendable {
        /// Existing indexes.
        public let indexes: Int
        /// Questions that were answered with one of them.
        public let throughIndexes: Int
    }

    private struct Undo: Error {}

    private let store: Store
    private let questions: [String]
    private let property: String
    private let words: [String]

    /// Creates a trial on the default collection.
    ///
    /// - Parameters:
    ///   - store: The database; it is unchanged afterwards.
    ///   - questions: In SQL++.
    ///   - property: The property on whose text full-text indexes are created.
    ///   - words: Words that are followed by a blank wherever they occur in it.
    public init(store: Store, questions: [String], text property: String, words: [String]) {
        self.store = store
        self.questions = questions
        self.property = property
        self.words = words
    }

    /// Asks everything in the current state, and again in a transaction that drops the indexes and is
    /// rolled back.
    ///
    /// - Throws: ``Difference``; any error of the store.
    public func check() throws -> Count {
        let indexes = try store.read { try $0.indexes(in: .default) }
        guard !indexes.isEmpty else { return Count(indexes: 0, throughIndexes: 0) }
        let found = try questions.map { try rows($0) }
        let planned = try questions.count { try usesIndex($0) }
        let matches = try indexes.filter { $0.kind == .fullText }.flatMap { index in
            try words.map { word in
                let condition = "MATCH(`\(index.name.text)`, '\(word)')"
                return (word, try rows("SELECT META().id FROM _ WHERE \(condition)"))
            }
        }
        do {
            try store.write { writer in
                for index in indexes { try writer.deleteIndex(index.name, in: .default) }
                for (question, found) in zip(questions, found) {
                    try require(found, rows(question), question)
                }
                for (word, found) in matches {
                    let question = "SELECT META().id FROM _ WHERE \(property) LIKE '%\(word) %'"
                    try require(found, rows(question), question)
                }
                throw Undo()
            }
        } catch is Undo {}
        return Count(indexes: indexes.count, throughIndexes: planned + matches.count)
    }

    private func usesIndex(_ question: String) throws -> Bool {
        try store.plan(of: query(question)).steps.contains { step in
            // Tables and indexes that implement ours are named after them.
            ["_by_", "_items_"].contains { step.text.contains($0) }
        }
    }

    private func query(_ question: String) throws -> StorageQuery {
        let catalogue = StoreCatalogue(store, named: "trial")
        return StorageQuery(try QueryStatement(sql: question).checked(against: catalogue))
    }

    private func require(
        _ found: [[QueryValue]],
        _ scanned: [[QueryValue]],
        _ question: String
    ) throws(Difference) {
        guard found.count == scanned.count, Set(found) == Set(scanned) else {
            throw Difference(
                description: "\(question): \(found.count) rows through indexes, "
                    + "\(scanned.count) without"
            )
        }
    }

    private func rows(_ question: String) throws -> [[QueryValue]] {
        let rows = try store.rows(of: query(question))
        defer { rows.end() }
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }
}

import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Random changes of documents with vectors, compared with a model.
@Suite struct VectorIndexModelTests {
    @Test(arguments: 0..<TestLength.of(4, long: 200))
    func `an index has the vectors of the documents after any changes`(round: Int) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var run = try VectorIndexRun(seed: seed)
        for step in 0..<60 {
            let action = try run.change()
            let problems = try run.problems()
            #expect(problems == [], "seed \(seed), step \(step): \(action), \(run.options)")
            guard problems.isEmpty else { return }
        }
        try run.store.close()
    }
}

/// A database with a vector index, and what is in it.
private struct VectorIndexRun {
    let options: QueryVectorOptions
    /// A lazy index has the IDs of documents, from which this test finds their vectors.
    private let expression: String
    var store: Store
    private let home: TemporaryDirectory
    private var generator: SeededGenerator
    /// The vectors of documents; `nil` for one without a valid vector.
    private var vectors: [DocumentID: [Float]?] = [:]
    /// The property by which searches are filtered.
    private var notes: [DocumentID: Int] = [:]

    init(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        home = try TemporaryDirectory()
        store = try Store.open(directory: home.file("a.cblite2"))
        let dimensions = 2 * Int.random(in: 1...6, using: &generator)
        let encodings: [QueryVectorOptions.Encoding] = [
            .float32, .scalar(bits: 4), .scalar(bits: 6), .scalar(bits: 8),
        ]
        options = QueryVectorOptions(
            dimensions: dimensions,
            centroidCount: Int.random(in: 1...3, using: &generator),
            encoding: encodings.randomElement(using: &generator) ?? .float32,
            metric: QueryVectorMetric.allCases.randomElement(using: &generator) ?? .dot,
            isLazy: Bool.random(using: &generator)
        )
        self.generator = generator
        expression = options.isLazy ? "META().id" : "v"
        let vector = try QueryExpression(sql: expression).checked(over: .standard)
        let index = QueryVectorIndex(name: "i", expression: expression, options: options)
        let definition = QueryIndexDefinition.vector(vector, options)
        try store.write { writer in
            try writer.createIndex("i", definition, source: index.source, in: .default)
        }
        guard Bool.random(using: &self.generator) else { return }
        let note = QueryIndexDefinition.value(
            [CheckedKey(try QueryExpression(sql: "n").checked(over: .standard))],
            filter: nil
        )
        try store.write { try $0.createIndex("n", note, source: "n", in: .default) }
    }

    // MARK: Changes

    /// Changes something, and returns what.
    mutating func change() throws -> String {
        let action = try nextChange()
        if options.isLazy { try update() }
        return action
    }

    /// Sets the vectors that a lazy index lacks.
    private func update() throws {
        let pending = try store.pendingVectors(of: "i", in: .default, limit: 1_000) ?? []
        let updated = try pending.map { item in
            guard case .string(let id) = item.value else { throw Unexpected(outcome: "no ID") }
            return (item.sequence, vectors[DocumentID(unchecked: id)].flatMap { $0 })
        }
        try store.setVectors(updated, of: "i", in: .default)
    }

    private mutating func nextChange() throws -> String {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0: return try removal()
        case 1: return try train()
        case 2:
            try store.close()
            store = try Store.open(directory: home.file("a.cblite2"))
            return "reopened"
        case 3:
            _ = try store.reindex()
            return "rebuilt"
        case 4: return try abandoned()
        case 5: return try unchanged()
        case 6, 7: return try step()
        case 8: return try outdated()
        default: return try save(count: Int.random(in: 1...20, using: &generator))
        }
    }

    private mutating func randomID() -> DocumentID {
        DocumentID(unchecked: "d\(Int.random(in: 0..<80, using: &generator))")
    }

    private mutating func randomVector() -> [Float]? {
        let dimensions = options.dimensions
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return nil
        case 1: return [Float](repeating: 0, count: dimensions)
        default:
            let range: ClosedRange<Float> = -2...2
            return (0..<dimensions).map { _ in Float.random(in: range, using: &generator) }
        }
    }

    /// The body of a document, with its vector as an array or as text.
    private mutating func body(_ vector: [Float]?, note: Int) throws -> [UInt8] {
        let value: JSON
        if let vector {
            value =
                Bool.random(using: &generator)
                ? .array(vector.map { .double(Double($0)) }) : .string(Self.base64(vector))
        } else {
            let wrong: [JSON] = [
                .null, .string("AAAA"), [1], .array([]), ["a": 1], .string("no vector"),
            ]
            value = wrong.randomElement(using: &generator) ?? .null
        }
        return try JSON.object(["v": value, "n": .int(Int64(note))]).canonicalBytes()
    }

    private static func base64(_ vector: [Float]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bytes = vector.storedBytes
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let padded = Array(group) + [0, 0]
            let bits = padded.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let text = (0...group.count).map { digits[bits >> (18 - 6 * $0) & 63] }
            return String(text) + String(repeating: "=", count: 3 - group.count)
        }.joined()
    }

    private mutating func save(count: Int) throws -> String {
        var saved: [(id: DocumentID, body: [UInt8])] = []
        for number in 0..<count {
            let (id, vector) = (randomID(), randomVector())
            vectors[id] = .some(vector)
            notes[id] = number
            saved.append((id, try body(vector, note: number)))
        }
        try store.write { writer in
            for (id, body) in saved { _ = try writer.save(id, in: .default, body: body) }
        }
        return "saved \(count)"
    }

    /// Saves a document again with the same vector.
    private mutating func unchanged() throws -> String {
        let id = randomID()
        guard let vector = vectors[id] else { return "nothing" }
        let number = Int.random(in: 0...9, using: &generator)
        let body = try body(vector, note: number)
        notes[id] = number
        _ = try store.save(id, in: .default, body: body)
        return "saved \(id) with the same vector"
    }

    private mutating func removal() throws -> String {
        let id = randomID()
        guard vectors.removeValue(forKey: id) != nil else { return "nothing" }
        if Bool.random(using: &generator) {
            try store.write { _ = try $0.purge(id, in: .default) }
            return "purged \(id)"
        }
        _ = try store.save(LocalRevision(deleting: id), in: .default)
        return "deleted \(id)"
    }

    private static let index = VectorIndexPath(.default, "i")

    /// Trains the index, or moves new vectors into its cells.
    private func train() throws -> String {
        try store.work(on: Self.index, VectorUpkeep(freshCount: 0)) { false }
        return "did all work"
    }

    /// A piece of work, which often belongs to another training.
    private mutating func work() throws -> (
        work: (work: any VectorIndexWork, source: String)?, upkeep: VectorUpkeep
    ) {
        let freshCount = Int.random(in: 0...20, using: &generator)
        let upkeep = VectorUpkeep(
            freshCount: freshCount,
            growth: Bool.random(using: &generator) ? 1 : 4
        )
        return (try store.nextWork(on: Self.index, upkeep), upkeep)
    }

    /// Does one piece of work.
    private mutating func step() throws -> String {
        let (work, upkeep) = try work()
        guard let work else { return "no work for \(upkeep)" }
        let change = try work.work.finish { false }
        try store.write { try $0.change(Self.index, from: work.source, change) }
        return "\(Self.name(of: change)) with \(upkeep)"
    }

    /// Finishes a piece of work, does something else, and then stores the piece.
    private mutating func outdated() throws -> String {
        guard let work = try work().work else { return "no work" }
        let change = try work.work.finish { false }
        let others = try (0..<2).map { _ in try self.change() }
        try store.write { try $0.change(Self.index, from: work.source, change) }
        return "\(Self.name(of: change)) after: \(others)"
    }

    private static func name(of change: any VectorIndexChange) -> String {
        guard let change = change as? SQLiteVectorIndexChange else { return "a foreign change" }
        return String("\(change.form)".prefix { $0 != "(" })
    }

    /// Changes that are rolled back.
    private mutating func abandoned() throws -> String {
        let id = randomID()
        let vector = randomVector()
        let body = try body(vector, note: 0)
        let store = store
        try? store.write { writer in
            _ = try writer.save(id, in: .default, body: body)
            try store.work(on: Self.index, VectorUpkeep(freshCount: 0)) { false }
            throw Unexpected(outcome: "abandoned")
        }
        return "abandoned \(id)"
    }

    // MARK: Checks

    /// What is wrong with the index.
    mutating func problems() throws -> [String] {
        do { try store.checkIntegrity() } catch { return ["\(error)"] }
        let target = (0..<options.dimensions).map { _ in Float.random(in: 1...2, using: &generator)
        }
        var problems: [String] = []
        for isExact in [false, true] {
            let found = try nearest(target, isExact: isExact)
            let expected = vectors.compactMap { $1 == nil ? nil : $0 }
            if found.count != expected.count || Set(found.map(\.id)) != Set(expected) {
                problems.append("found \(found.count) documents of \(expected.count)")
            }
            if found.map(\.distance) != found.map(\.distance).sorted() {
                problems.append("the documents are in the wrong order")
            }
            for row in found {
                let known = vectors[row.id].flatMap { $0 }
                let distance = distance(known ?? [], target)
                if abs(row.distance - distance) > 1e-4 * max(1, abs(distance)) {
                    problems.append("\(row.id) is \(row.distance) away instead of \(distance)")
                }
            }
        }
        return try problems + problemsOfFew(near: target) + problemsOfFilter(near: target)
    }

    /// What is wrong with an exact search for fewer documents than there are.
    private func problemsOfFew(near target: [Float]) throws -> [String] {
        try problems(near: target, isExact: true, nil) { _ in true }
    }

    /// What is wrong with searches among some documents, which are exact in a small index.
    private mutating func problemsOfFilter(near target: [Float]) throws -> [String] {
        let least = Int.random(in: 0...20, using: &generator)
        return try [false, true].flatMap { isExact in
            try problems(near: target, isExact: isExact, "n >= \(least)") { $0 >= least }
        }
    }

    private func problems(
        near target: [Float],
        isExact: Bool,
        _ condition: String?,
        isMet: (Int) -> Bool
    ) throws -> [String] {
        let found = try nearest(target, isExact: isExact, limit: 5, where: condition)
            .map(\.distance)
        let all = vectors.compactMap { id, vector in
            isMet(notes[id] ?? 0) ? vector.map { distance($0, target) } : nil
        }
        let expected = Array(all.sorted().prefix(5))
        let areEqual = zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) }
        return found.count == expected.count && areEqual
            ? []
            : [
                "the nearest with \(condition ?? "no condition") are at \(found) instead of \(expected)"
            ]
    }

    private func nearest(
        _ target: [Float],
        isExact: Bool,
        limit: Int = 1_000,
        where condition: String? = nil
    ) throws -> [(id: DocumentID, distance: Double)] {
        let metric = options.metric.rawValue
        let arguments = "\(expression), \(target), '\(metric)', 3, \(isExact)"
        let sql = """
            SELECT META().id, APPROX_VECTOR_DISTANCE(\(arguments)) AS d FROM _
            \(condition.map { "WHERE \($0)" } ?? "") ORDER BY d LIMIT \(limit)
            """
        return try store.rows(of: sql).map { row in
            guard case .string(let id) = row[0], case .double(let distance) = row[1] else {
                throw Unexpected(outcome: "\(row)")
            }
            return (DocumentID(unchecked: id), distance)
        }
    }

    private func distance(_ vector: [Float], _ target: [Float]) -> Double {
        let pairs = zip(vector, target).map { (Double($0), Double($1)) }
        let squares = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let product = pairs.reduce(0) { $0 + $1.0 * $1.1 }
        switch options.metric {
        case .euclideanSquared: return squares
        case .euclidean: return squares.squareRoot()
        case .dot: return -product
        case .cosine:
            let lengths = pairs.reduce((0, 0)) { ($0.0 + $1.0 * $1.0, $0.1 + $1.1 * $1.1) }
            return lengths.0 == 0 ? 1 : 1 - product / (lengths.0 * lengths.1).squareRoot()
        }
    }
}

import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// `APPROX_VECTOR_DISTANCE` in queries.
@Suite struct VectorQueryTests {
    private let target = VectorWords.vectors(301, 7)[300]
    private static let distance = "APPROX_VECTOR_DISTANCE(vector, $target)"

    private static let metrics: [(DistanceMetric, String)] = [
        (.euclideanSquared, "EUCLIDEAN_SQUARED"), (.euclidean, "l2"), (.cosine, "Cosine"),
        (.dot, "DOT"),
    ]

    @Test(arguments: metrics)
    func `an untrained and an unquantized index return the true neighbours and distances`(
        metric: DistanceMetric,
        name: String
    ) throws {
        let words = try VectorWords()
        for isTrained in [false, true] {
            try words.createIndex {
                $0.metric = metric
                $0.encoding = .none
                if !isTrained { $0.minTrainingSize = 400 }
            }
            let expected = words.exact(20, to: target, metric)
            let found = try words.nearest(20, to: target, ", '\(name)'")
            #expect(found.map(\.id) == expected.map(\.id))
            for (found, expected) in zip(found, expected) {
                #expect(abs(found.distance - expected.distance) < 1e-4)
            }
            #expect(try words.words.index(withName: "words_index")?.isTrained() == isTrained)
        }
    }

    @Test(arguments: [
        VectorEncoding.scalarQuantizer(type: .SQ8), .scalarQuantizer(type: .SQ6),
        .scalarQuantizer(type: .SQ4), .productQuantizer(subquantizers: 8, bits: 4),
    ])
    func `a quantized index returns the neighbours with their true distances`(
        encoding: VectorEncoding
    ) throws {
        // 16 codewords need 400 vectors.
        let words = try VectorWords(count: 450)
        for (metric, name) in Self.metrics {
            try words.createIndex { ($0.encoding, $0.metric) = (encoding, metric) }
            let expected = words.exact(10, to: target, metric)
            let found = try words.nearest(10, to: target, ", '\(name)'")
            #expect(try words.words.index(withName: "words_index")?.isTrained() == true)
            let shared = Set(found.map(\.id)).intersection(expected.map(\.id))
            #expect(shared.count >= 9, "\(metric)")
            for row in found {
                let number = try #require(Int(row.id.dropFirst(4)))
                let expected = VectorWords.distance(words.vectors[number], target, metric)
                #expect(abs(row.distance - expected) < 1e-4)
            }
        }
    }

    @Test func `more probes find more neighbours, and small indexes are searched completely`()
        throws
    {
        let words = try VectorWords()
        try words.createIndex()
        let one = try words.nearest(300, to: target, ", 'euclidean2', 1").count
        let five = try words.nearest(300, to: target, ", 'euclidean2', 5").count
        #expect(one < five)
        #expect(five < 300)
        #expect(try words.nearest(350, to: target).count == 300)
        try words.createIndex { $0.numProbes = 1 }
        #expect(try words.nearest(300, to: target).count == one)
        #expect(try words.nearest(300, to: target, ", 'default', 8, TRUE").count == 300)
    }

    @Test func `explain shows the index under the name that Couchbase Lite uses`() throws {
        let words = try VectorWords()
        try words.createIndex()
        let limit = "ORDER BY \(Self.distance) LIMIT 20"
        for sql in [
            "SELECT META().id FROM words \(limit)",
            "SELECT META().id FROM words WHERE number > 5 \(limit)",
        ] {
            let query = try words.database.createQuery(sql)
            query.parameters = Parameters().setValue(target, forName: "target")
            #expect(try query.explain().contains("kv_.words:vector:words_index"))
        }
    }

    @Test(arguments: [
        "SELECT META().id FROM words ORDER BY \(distance)",
        "SELECT META().id FROM words WHERE \(distance) < 0.5",
        "SELECT META().id FROM words ORDER BY \(distance) LIMIT 10001",
        "SELECT META().id FROM words ORDER BY \(distance) LIMIT $n",
        "SELECT META().id FROM words WHERE number = 1 OR \(distance) < 0.5 LIMIT 10",
        "SELECT META().id FROM words WHERE number < 9 AND (\(distance) < 0.5 OR number = 1) LIMIT 10",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'cosine') LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'up') LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'l2_squared', 0) LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'l2_squared', -1) LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'l2_squared', 1.5) LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'l2_squared', 1, 1) LIMIT 1",
        "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector) LIMIT 1",
        "SELECT META().id FROM words LIMIT \(distance)",
    ])
    func `an invalid vector search is refused`(sql: String) throws {
        let words = try VectorWords(count: 2)
        try words.createIndex()
        expect(CBLError.invalidQuery) { _ = try words.database.createQuery(sql) }
    }

    @Test(arguments: ["text", "vector[0]", "words.text", "[1, 2]", "number + 1"])
    func `a search without an index on its expression is refused`(expression: String) throws {
        let words = try VectorWords(count: 2)
        try words.createIndex()
        let call = "APPROX_VECTOR_DISTANCE(\(expression), $target)"
        expect(CBLError.missingIndex) {
            _ = try words.database.createQuery(
                "SELECT META().id FROM words ORDER BY \(call) LIMIT 10"
            )
        }
    }

    @Test(arguments: ["", "w.", "`w`."])
    func `a vector search works with any alias of the source`(prefix: String) throws {
        let words = try VectorWords(count: 20)
        try words.createIndex()
        let call = "APPROX_VECTOR_DISTANCE(\(prefix)vector, $target)"
        let sql = "SELECT META().id, \(call) FROM words AS w ORDER BY \(call) LIMIT 1"
        let found = try words.rows(sql, target)
        #expect(found.map(\.id) == words.exact(1, to: target).map(\.id))
    }

    @Test func `a limit of zero or less returns no rows`() throws {
        let words = try VectorWords(count: 20)
        try words.createIndex()
        for limit in [0, -1] {
            #expect(try words.nearest(limit, to: target).isEmpty)
        }
    }

    @Test func `a target that is not a vector of the right length ends the query`() throws {
        let words = try VectorWords(count: 20)
        try words.createIndex()
        for target in [[Float](), [1, 2], Array(repeating: 1, count: 17)] {
            #expect(throws: (any Error).self) { try words.nearest(5, to: target) }
        }
        #expect(throws: (any Error).self) {
            try words.rows("SELECT META().id FROM words ORDER BY \(Self.distance) LIMIT 5")
        }
    }

    @Test(arguments: [false, true])
    func `a distance limit or a condition applies to all documents`(isTrained: Bool) throws {
        let words = try VectorWords()
        try words.createIndex { if !isTrained { $0.minTrainingSize = 1_000 } }
        let all = words.exact(300, to: target)
        let bound = all[12].distance + 1e-6
        let bounded = try words.rows(
            "SELECT META().id, \(Self.distance) AS d FROM words WHERE d < \(bound) LIMIT 100",
            target
        )
        #expect(bounded.map(\.id) == all.prefix(13).map(\.id))
        let group = all.filter { (Int($0.id.dropFirst(4)) ?? 0) % 10 == 3 }.map(\.id)
        let hybrid = """
            SELECT META().id, \(Self.distance) FROM words WHERE `group` = 3 \
            ORDER BY \(Self.distance)
            """
        #expect(try words.rows(hybrid, target).map(\.id) == group)
        #expect(try words.rows("\(hybrid) LIMIT 7", target).map(\.id) == Array(group.prefix(7)))
        let skipped = try words.rows(
            "SELECT META().id FROM words ORDER BY \(Self.distance) LIMIT 5 OFFSET 5",
            target
        )
        #expect(skipped.map(\.id) == all[5..<10].map(\.id))
    }

    @Test func `similarity metrics rank nearer vectors higher`() throws {
        let words = try VectorWords()
        for (metric, name) in [
            (DistanceMetric.cosine, "cosine_similarity"), (.dot, "DOT_PRODUCT_SIMILARITY"),
        ] {
            try words.createIndex { $0.metric = metric }
            let call = "APPROX_VECTOR_DISTANCE(vector, $target, '\(name)')"
            let found = try words.rows(
                "SELECT META().id, \(call) FROM words ORDER BY \(call) DESC LIMIT 8",
                target
            )
            let expected = words.exact(8, to: target, metric)
            #expect(found.map(\.id) == expected.map(\.id))
            let similarity = metric == .dot ? -expected[0].distance : 1 - expected[0].distance
            #expect(abs(found[0].distance - similarity) < 1e-4)
        }
    }

    @Test func `vector searches can be combined with joins, grouping and full-text search`() throws
    {
        let words = try VectorWords()
        try words.createIndex()
        try words.words.createIndex(withName: "t", config: FullTextIndexConfiguration(["text"]))
        let all = words.exact(300, to: target)
        let distance = "APPROX_VECTOR_DISTANCE(a.vector, $target)"
        let joined = try words.rows(
            """
            SELECT META(a).id, \(distance) FROM words AS a JOIN words AS b ON b.number = a.number + 1
            ORDER BY \(distance) LIMIT 5
            """,
            target
        )
        let expected = all.filter { $0.id != "word299" }.prefix(5)
        #expect(joined.map(\.id) == expected.map(\.id))
        let matched = try words.rows(
            "SELECT META().id FROM words WHERE MATCH(t, 'w17 OR w18') ORDER BY \(Self.distance)",
            target
        )
        #expect(matched.map(\.id).sorted() == ["word17", "word18"])
        let counted = try words.rows(
            "SELECT 'n', COUNT(*) FROM words WHERE number >= 0 AND \(Self.distance) < \(all[9].distance + 1e-6)",
            target
        )
        #expect(counted.map(\.distance) == [10])
    }

    @Test func `the JSON form and the printed form of a query give the same search`() throws {
        let words = try VectorWords(count: 30)
        try words.createIndex()
        let query = try words.database.createQuery(
            "SELECT META().id FROM words ORDER BY \(Self.distance) LIMIT 3"
        )
        query.parameters = Parameters().setValue(target, forName: "target")
        #expect(
            try query.explain().contains(#"["APPROX_VECTOR_DISTANCE()",[".vector"],["$target"]]"#)
        )
    }

    private struct Word: Codable {
        var text: String
        var group: Int
        var vector: [Float]
    }

    @Test func `a typed query sorts by the distance of a property`() throws {
        let words = try VectorWords()
        let near = words.words.documents(
            of: Word.self,
            orderBy: .distance(of: \.vector, from: target),
            limit: 5
        )
        expect(CBLError.missingIndex) { _ = try near.all() }
        try words.createIndex()
        let all = words.exact(300, to: target)
        #expect(try near.all().map(\.id) == all.prefix(5).map(\.id))
        #expect(try near.first()?.id == all[0].id)
        let some = words.words.documents(
            of: Word.self,
            where: \.group == 3,
            orderBy: .distance(of: \.vector, from: target)
        )
        let group = all.filter { $0.id.hasSuffix("3") }
        #expect(try some.all().map(\.id) == group.map(\.id))
        expect(CBLError.invalidQuery) {
            let page = try some.page(of: 5)
            _ = try some.page(of: 5, after: page.next)
        }
    }

    @Test(arguments: ["", "WHERE number < 400"])
    func `a live search is run again only for a document as near as its last row`(
        condition: String
    ) throws {
        let words = try VectorWords()
        try words.createIndex()
        let query = try words.database.createQuery(
            "SELECT META().id FROM words \(condition) ORDER BY \(Self.distance) LIMIT 5"
        )
        query.parameters = Parameters().setValue(target, forName: "target")
        let origins = try #require(try query.core.runTraced(control: QueryControl()).origins)
        #expect(origins.documentIDs.count == 5)
        func matters(_ id: String) throws -> Bool {
            let changed: Set = [DivanRevisions.DocumentID(unchecked: id)]
            return try query.core.reaches(changed, origins, control: QueryControl())
        }
        try words.save(301, target.map { $0 + 9 })
        #expect(try !matters("word301"))
        try words.save(302, target)
        #expect(try matters("word302"))
        try words.save(401, target)
        #expect(try matters("word401") == condition.isEmpty)
        try words.save(303, nil)
        #expect(try !matters("word303"))
    }

    @Test func `a live search that finds fewer rows than its limit is run again for any new row`()
        throws
    {
        let words = try VectorWords(count: 3)
        try words.createIndex()
        let query = try words.database.createQuery(
            "SELECT META().id FROM words ORDER BY \(Self.distance) LIMIT 5"
        )
        query.parameters = Parameters().setValue(target, forName: "target")
        let origins = try #require(try query.core.runTraced(control: QueryControl()).origins)
        try words.save(301, target.map { $0 + 9 })
        let changed: Set = [DivanRevisions.DocumentID(unchecked: "word301")]
        #expect(try query.core.reaches(changed, origins, control: QueryControl()))
    }

    /// A condition on words, and the numbers of those that meet it.
    struct Condition: CustomStringConvertible, Sendable {
        let description: String
        let isMet: @Sendable (Int) -> Bool

        init(_ description: String, _ isMet: @escaping @Sendable (Int) -> Bool) {
            self.description = description
            self.isMet = isMet
        }
    }

    @Test(arguments: [
        Condition("number % 10 = 3") { $0 % 10 == 3 },
        Condition("`group` = 3 AND number < 200") { $0 % 10 == 3 && $0 < 200 },
        Condition("text LIKE 'w1%' OR number = 7") { "\($0)".hasPrefix("1") || $0 == 7 },
        Condition("ANY t IN tags SATISFIES t = 'even' END") { $0.isMultiple(of: 2) },
        Condition("number IN \(Array(0..<250))") { $0 < 250 },
        Condition("META().id = 'word5'") { $0 == 5 },
        Condition("ISARRAY($target) AND number < 9") { $0 < 9 },
        Condition("text IN \((0..<95).map { "w\($0)" })") { $0 < 95 },
        Condition("number > 1000") { _ in false },
    ])
    func `a filtered search finds the nearest documents that meet the conditions`(
        condition: Condition
    ) throws {
        let words = try VectorWords()
        for number in 0..<VectorWords.count where number.isMultiple(of: 2) {
            let document = try #require(try words.words.document(id: "word\(number)")?.toMutable())
            document.setArray(MutableArrayObject(data: ["even", "all"]), forKey: "tags")
            try words.words.save(document: document)
        }
        try words.createIndex()
        let sql = "SELECT number FROM words WHERE \(condition) ORDER BY \(Self.distance) LIMIT 9"
        let query = try words.database.createQuery(sql)
        query.parameters = Parameters().setValue(target, forName: "target")
        let all = words.exact(VectorWords.count, to: target, .euclideanSquared)
        let expected = all.compactMap { Int($0.id.dropFirst(4)) }.filter(condition.isMet)
            .prefix(9)
        #expect(try query.execute().map { $0.int(at: 0) } == Array(expected))
        // The same with indexes for the conditions.
        for property in ["number", "`group`", "text"] {
            let config = ValueIndexConfiguration([property])
            try words.words.createIndex(withName: "by \(property)", config: config)
        }
        try words.words.createIndex(withName: "tags", config: ArrayIndexConfiguration(path: "tags"))
        #expect(try query.execute().map { $0.int(at: 0) } == Array(expected))
    }

    @Test func `a filtered search reports what a function in its condition refuses`() throws {
        let words = try VectorWords(count: 20)
        try words.createIndex()
        let query = try words.database.createQuery(
            "SELECT number FROM words WHERE REGEXP_LIKE(text, '[') ORDER BY \(Self.distance) LIMIT 9"
        )
        query.parameters = Parameters().setValue(target, forName: "target")
        let error = #expect(throws: (any Error).self) { _ = try query.execute() }
        let text = "\(try #require(error))"
        #expect(text.contains("regular expression"), "\(text)")
    }

    /// With so many vectors, a search reads only some of the cells.
    @Test func `searches of a large index find most neighbours, and exact ones find all`() throws {
        let words = try VectorWords(count: 10_400)
        let config = VectorWords.config(centroids: 64)
        try words.words.createIndex(withName: "words_index", config: config)
        let conditions: [(String, (Int) -> Bool)] = [
            ("TRUE", { _ in true }), ("number % 2 = 1", { $0 % 2 == 1 }),
            ("`group` = 3", { $0 % 10 == 3 }), ("number % 100 = 7", { $0 % 100 == 7 }),
        ]
        let targets = VectorWords.vectors(10_404).suffix(4)
        let orders = targets.map { target in
            words.exact(10_400, to: target).compactMap { Int($0.id.dropFirst(4)) }
        }
        for (condition, isMet) in conditions {
            var sharedCount = 0
            for (target, order) in zip(targets, orders) {
                func found(_ count: Int, _ options: String = "") throws -> [Int] {
                    let distance = "APPROX_VECTOR_DISTANCE(vector, $target\(options))"
                    let end = "ORDER BY \(distance) LIMIT \(count)"
                    return try words.rows(
                        "SELECT META().id FROM words WHERE \(condition) \(end)",
                        target
                    )
                    .compactMap { Int($0.id.dropFirst(4)) }
                }
                let expected = order.filter(isMet)
                sharedCount += try Set(found(20)).intersection(expected.prefix(20)).count
                let exact = try found(20, ", 'euclidean2', 1, TRUE")
                #expect(exact == Array(expected.prefix(20)), "\(condition)")
                let few = try found(20, ", 'euclidean2', 1")
                #expect(few.count == 20 && few.allSatisfy(isMet), "\(condition)")
                if expected.count < 9_999 {
                    #expect(try Set(found(9_999)) == Set(expected), "\(condition)")
                }
            }
            #expect(sharedCount >= 66, "\(condition): of 80")
        }
    }
}

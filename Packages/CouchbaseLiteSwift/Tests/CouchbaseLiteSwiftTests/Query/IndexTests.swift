import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `sqlpp.md` §11: indexes.
@Suite struct IndexTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    @Test func `indexes are created, listed by name and deleted`() throws {
        let chairs = shop.chairs
        try chairs.createIndex(
            withName: "value",
            config: ValueIndexConfiguration(["name", "price"], where: "seats = 1")
        )
        try chairs.createIndex(
            withName: "text",
            config: FullTextIndexConfiguration(["name"], ignoreAccents: true, language: "en")
        )
        try chairs.createIndex(withName: "array", config: ArrayIndexConfiguration(path: "tags"))
        let built = IndexBuilder.valueIndex(
            items: ValueIndexItem.property("seats"),
            ValueIndexItem.expression(Function.lower(Expression.property("name")))
        )
        try chairs.createIndex(built, name: "built")
        try chairs.createIndex(
            IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name")).ignoreAccents(
                true
            ).language("de"),
            name: "words"
        )
        #expect(try chairs.indexes() == ["array", "built", "text", "value", "words"])
        #expect(try chairs.index(withName: "value")?.name == "value")
        #expect(try chairs.index(withName: "none") == nil)
        try chairs.deleteIndex(forName: "value")
        try chairs.deleteIndex(forName: "value")
        #expect(try chairs.indexes().count == 4)
        #expect(try shop.makers.indexes().isEmpty)
    }

    @Test func `creating the same index again does nothing, and a different one replaces it`()
        throws
    {
        let config = ValueIndexConfiguration(["price"])
        try shop.chairs.createIndex(withName: "i", config: config)
        try shop.chairs.createIndex(withName: "i", config: config)
        try shop.chairs.createIndex(withName: "i", config: ValueIndexConfiguration(["seats"]))
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs WHERE seats = 3")
        #expect(try query.explain().contains("USING INDEX"))
        #expect(try shop.texts(query) == ["Porto"])
    }

    @Test func `an index without properties or expressions is refused`() throws {
        let chairs = shop.chairs
        for config in [ValueIndexConfiguration([]), FullTextIndexConfiguration([])]
            as [any IndexConfiguration]
        {
            expect(CBLError.invalidQuery) {
                try chairs.createIndex(withName: "i", config: config)
            }
        }
        for index in [IndexBuilder.valueIndex(items: []), IndexBuilder.fullTextIndex(items: [])]
            as [any Index]
        {
            expect(CBLError.invalidQuery) { try chairs.createIndex(index, name: "i") }
        }
        #expect(try chairs.indexes().isEmpty)
    }

    @Test func `a malformed expression or array path is refused`() throws {
        for expression in ["a +", "", "COUNT(*)", "$p"] {
            expect(CBLError.invalidQuery) {
                try shop.chairs.createIndex(
                    withName: "i",
                    config: ValueIndexConfiguration([expression])
                )
            }
        }
        expect(CBLError.invalidQuery) {
            try shop.chairs.createIndex(withName: "i", config: ArrayIndexConfiguration(path: ""))
        }
        #expect(try shop.chairs.indexes().isEmpty)
    }

    @Test
    func `a value index cannot use ANY or EVERY, but a full-text index can in its condition`()
        throws
    {
        let condition = "ANY t IN tags SATISFIES t = 'wood' END"
        for config in [
            ValueIndexConfiguration([condition]),
            ValueIndexConfiguration(["name"], where: condition),
            ArrayIndexConfiguration(
                path: "tags",
                expressions: ["EVERY t IN parts SATISFIES t END"]
            ),
        ] as [any IndexConfiguration] {
            expect(CBLError.invalidQuery) {
                try shop.chairs.createIndex(withName: "i", config: config)
            }
        }
        let words = FullTextIndexConfiguration(["name"], where: condition)
        try shop.chairs.createIndex(withName: "i", config: words)
    }

    @Test func `a document with an invalid regular expression can be saved despite an index on it`()
        throws
    {
        let expressions = ["REGEXP_LIKE(name, pattern)", "REGEXP_POSITION(name, 'O')"]
        for (number, expression) in expressions.enumerated() {
            let config = ValueIndexConfiguration([expression])
            try shop.chairs.createIndex(withName: "i\(number)", config: config)
        }
        try shop.save("c6", ["name": "Odd", "pattern": "("])
        try shop.save("c7", ["name": "Oak", "pattern": "^O"])
        let text = "SELECT name FROM shop.chairs WHERE REGEXP_POSITION(name, 'O') = 0 ORDER BY name"
        let query = try shop.database.createQuery(text)
        #expect(try query.explain().contains("USING INDEX i1"))
        #expect(try shop.texts(query) == ["Oak", "Odd", "Oslo"])
        expect(CBLError.invalidQuery) {
            try shop.chairs.createIndex(
                withName: "i",
                config: ValueIndexConfiguration(["TRIM(a, b)"])
            )
        }
    }

    @Test func `UNNEST uses an array index`() throws {
        try shop.chairs.createIndex(withName: "tags", config: ArrayIndexConfiguration(path: "tags"))
        #expect(
            try shop.texts("SELECT c.name FROM shop.chairs c UNNEST c.tags AS t WHERE t = 'wood'")
                == ["Oslo"]
        )
    }

    @Test func `index calls throw notOpen after the database is closed`() throws {
        try shop.database.close()
        expect(CBLError.notOpen) { _ = try shop.chairs.indexes() }
        expect(CBLError.notOpen) {
            try shop.chairs.createIndex(withName: "i", config: ValueIndexConfiguration(["a"]))
        }
        expect(CBLError.notOpen) { try shop.chairs.deleteIndex(forName: "i") }
    }

    @Test func `creating an index reports progress and can be cancelled`() async throws {
        try shop.database.inBatch {
            for number in 0..<3_000 { try shop.save("n\(number)", ["name": "Chair \(number)"]) }
        }
        let chairs = shop.chairs
        let shares = Mutex<[Double]>([])
        let config = ValueIndexConfiguration(["name"])
        try await chairs.createIndex(withName: "byName", config: config) { share in
            shares.withLock { $0.append(share) }
        }
        let told = shares.withLock { $0 }
        #expect(told.first == 0 && told.last == 1 && told == told.sorted(), "\(told)")

        let words = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"))
        try await chairs.createIndex(words, name: "words") { _ in }
        #expect(try chairs.indexes() == ["byName", "words"])

        // The writer is held until the task is cancelled.
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let database = shop.database
        Thread.detachNewThread {
            try? database.inBatch {
                isHeld.signal()
                mayGoOn.wait()
            }
        }
        await Task.detached { isHeld.wait() }.value
        let making = Task {
            let config = FullTextIndexConfiguration(["name"])
            try await chairs.createIndex(withName: "more", config: config) { _ in }
        }
        making.cancel()
        mayGoOn.signal()
        await #expect(throws: CancellationError.self) { try await making.value }
        #expect(try chairs.indexes() == ["byName", "words"])
        let told2 = Mutex<[Double]>([])
        try await database.reindex { share in told2.withLock { $0.append(share) } }
        #expect(told2.withLock { $0.last } == 1)
    }

    @Test func `expired documents are removed from a full-text index`() throws {
        let chairs = shop.chairs
        try chairs.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["name"], where: "META().expiration > 0")
        )
        let sql =
            "SELECT name FROM shop.chairs WHERE META().expiration > 0 AND MATCH(words, 'oslo')"
        #expect(try shop.texts(sql).isEmpty)
        try chairs.setDocumentExpiration(id: "c1", expiration: Date() + 3_600)
        #expect(try shop.texts(sql) == ["Oslo"])
        try shop.database.performMaintenance(type: .integrityCheck)
        try chairs.setDocumentExpiration(id: "c1", expiration: nil)
        #expect(try shop.texts(sql).isEmpty)
        try shop.database.performMaintenance(type: .integrityCheck)
    }

    @Test(arguments: ["oslo — chair", "oslo … _", "😀 oslo ❤️", "\"—\" oslo", "oslo\u{A0}\u{3000}"])
    func `punctuation and emoji in a full-text search do not exclude documents`(text: String) throws
    {
        try shop.chairs.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["name"], language: "en")
        )
        try shop.save("c9", ["name": "Oslo chair"])
        let query = try shop.database.createQuery(
            "SELECT name FROM shop.chairs WHERE MATCH(words, $text) ORDER BY name DESC LIMIT 1"
        )
        query.parameters = Parameters().setString(text, forName: "text")
        #expect(try shop.texts(query) == ["Oslo chair"])
    }
}

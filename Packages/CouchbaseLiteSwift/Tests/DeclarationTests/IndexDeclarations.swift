import CouchbaseLiteSwift
import Foundation
import Testing

/// `sqlpp.md` §11, without the additions of the Enterprise edition.
@Suite struct IndexDeclarations {
    private let place: Place
    let database: Database
    let collection: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        collection = try database.createCollection(name: "hotels")
        for number in 0..<5 {
            let phones = [["kind": "home", "number": "\(number)"], ["kind": "work"]]
            let document = MutableDocument(
                id: "h\(number)",
                data: [
                    "name": "Hôtel \(number)", "es-detail": "texto", "stars": number,
                    "contacts": [["phones": phones], ["phones": [["kind": "car"]]]],
                    "tags": ["t\(number)", "all"],
                ]
            )
            try collection.save(document: document)
        }
    }

    private func count(_ sql: String, uses index: String? = nil) throws -> Int {
        let query = try database.createQuery(sql)
        if let index {
            let plan = try query.explain()
            #expect(plan.contains("USING INDEX") || plan.contains("USING COVERING INDEX"))
            #expect(!index.isEmpty)
        }
        return try query.execute().allResults().count
    }

    @Test func `a collection creates, lists and deletes indexes`() throws {
        let indexable: Indexable = collection
        let _: IndexConfiguration = ValueIndexConfiguration(["stars"])
        let plain: Index = IndexBuilder.valueIndex(items: ValueIndexItem.property("stars"))
        try indexable.createIndex(plain, name: "b")
        try indexable.createIndex(withName: "a", config: ValueIndexConfiguration(["stars"]))
        let names: [String] = try indexable.indexes()
        #expect(names == ["a", "b"])
        let index: QueryIndex? = try indexable.index(withName: "a")
        #expect(index?.name == "a" && index?.collection === collection)
        #expect(try indexable.index(withName: "z") == nil)
        try indexable.deleteIndex(forName: "a")
        try indexable.deleteIndex(forName: "z")
        #expect(try indexable.indexes() == ["b"])
    }

    @Test func `value indexes are configured, also with a condition`() throws {
        let plain = ValueIndexConfiguration(["stars", "name"])
        let part = ValueIndexConfiguration(["name"], where: "stars > 2")
        #expect(plain.expressions == ["stars", "name"] && plain.where == nil)
        #expect(part.where == "stars > 2")
        try collection.createIndex(withName: "plain", config: plain)
        #expect(try count("SELECT name FROM hotels WHERE stars = 3", uses: "plain") == 1)
        try collection.createIndex(withName: "plain", config: plain)
        try collection.createIndex(withName: "plain", config: part)
        #expect(try collection.indexes() == ["plain"])
        let malformed = ValueIndexConfiguration(["stars +"])
        #expect(
            code { try collection.createIndex(withName: "m", config: malformed) }
                == CBLError.invalidQuery
        )
    }

    @Test func `full-text indexes are configured`() throws {
        let plain = FullTextIndexConfiguration(["name"])
        #expect(plain.expressions == ["name"] && plain.where == nil && plain.language == nil)
        #expect(plain.ignoreAccents == FullTextIndexConfiguration.defaultIgnoreAccents)
        #expect(FullTextIndexConfiguration.defaultIgnoreAccents == false)
        let some = FullTextIndexConfiguration(
            ["name", "`es-detail`"],
            where: "stars > 2",
            ignoreAccents: true,
            language: "es"
        )
        #expect(some.where == "stars > 2" && some.ignoreAccents && some.language == "es")
        try collection.createIndex(withName: "words", config: some)
        let sql = "SELECT META().id FROM hotels WHERE MATCH(words, 'hotel')"
        #expect(try count(sql) == 2)
        let items = [FullTextIndexItem.property("name"), FullTextIndexItem.property("tags")]
        let built: FullTextIndex = IndexBuilder.fullTextIndex(items: items)
        try collection.createIndex(built.ignoreAccents(true).language(""), name: "words")
        #expect(try count(sql) == 5)
        let one = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"))
        try collection.createIndex(one.language(nil), name: "words")
        #expect(try count(sql) == 0)
    }

    @Test func `array indexes are configured, also nested ones`() throws {
        let tags = ArrayIndexConfiguration(path: "tags")
        #expect(tags.path == "tags" && tags.expressions == nil)
        try collection.createIndex(withName: "tags", config: tags)
        let unnested = "SELECT META(h).id FROM hotels AS h UNNEST h.tags AS t WHERE t = 't3'"
        #expect(try count(unnested, uses: "tags") == 1)
        for path in ["contacts[].phones", "contacts[].phones[]"] {
            let phones = ArrayIndexConfiguration(path: path, expressions: ["kind"])
            try collection.createIndex(withName: "phones", config: phones)
            let nested = """
                SELECT META(h).id FROM hotels AS h UNNEST h.contacts AS c UNNEST c.phones AS p
                WHERE p.kind = 'work'
                """
            #expect(try count(nested, uses: "phones") == 5)
            let work = [["phones": [["kind": "work"]]]]
            let car = MutableDocument(id: "new", data: ["contacts": work])
            try collection.save(document: car)
            #expect(try count(nested, uses: "phones") == 6)
            try collection.delete(document: car)
            #expect(try count(nested, uses: "phones") == 5)
            try collection.deleteIndex(forName: "phones")
            #expect(try count(nested) == 5)
        }
        let empty = ArrayIndexConfiguration(path: "")
        #expect(
            code { try collection.createIndex(withName: "e", config: empty) }
                == CBLError.invalidQuery
        )
    }

    @Test func `value indexes are created with the builder`() throws {
        let stars = Expression.property("stars")
        let items: [ValueIndexItem] = [
            ValueIndexItem.expression(stars.add(Expression.int(1))),
            ValueIndexItem.property("name"),
        ]
        let index: ValueIndex = IndexBuilder.valueIndex(items: items)
        try collection.createIndex(index, name: "sum")
        #expect(try count("SELECT name FROM hotels WHERE stars + 1 = 3", uses: "sum") == 1)
    }

    @Test func `a query works without its index, but not without its collection`() throws {
        try collection.createIndex(withName: "s", config: ValueIndexConfiguration(["stars"]))
        let items = ArrayIndexConfiguration(path: "tags")
        try collection.createIndex(withName: "t", config: items)
        let plain = try database.createQuery("SELECT name FROM hotels WHERE stars = 3")
        let unnest = try database.createQuery(
            "SELECT META(h).id FROM hotels AS h UNNEST h.tags AS t WHERE t = 't3'"
        )
        #expect(try plain.execute().allResults().count == 1)
        #expect(try unnest.execute().allResults().count == 1)
        let open = try plain.execute()
        try collection.deleteIndex(forName: "s")
        try collection.deleteIndex(forName: "t")
        #expect(open.allResults().count == 1)
        #expect(try plain.execute().allResults().count == 1)
        #expect(try unnest.execute().allResults().count == 1)
        try database.deleteCollection(name: "hotels")
        #expect(code { _ = try plain.execute() } == CBLError.invalidQuery)
        #expect(code { _ = try collection.indexes() } == CBLError.notOpen)
        let config = ValueIndexConfiguration(["stars"])
        #expect(
            code { try collection.createIndex(withName: "x", config: config) } == CBLError.notOpen
        )
        #expect(code { try collection.deleteIndex(forName: "x") } == CBLError.notOpen)
        #expect(code { _ = try collection.index(withName: "x") } == CBLError.notOpen)
    }

    @Test func `a closed database has no indexes`() throws {
        try database.close()
        let config = ValueIndexConfiguration(["stars"])
        #expect(
            code { try collection.createIndex(withName: "x", config: config) } == CBLError.notOpen
        )
        #expect(code { _ = try collection.indexes() } == CBLError.notOpen)
    }

    @Test func `the deprecated methods of Database use the default collection`() throws {
        struct Passing: Older {
            let database: Database
            @available(*, deprecated) func run() throws {
                let index = IndexBuilder.valueIndex(items: ValueIndexItem.property("a"))
                try database.createIndex(index, withName: "a")
                try database.createIndex(ValueIndexConfiguration(["b"]), name: "b")
                #expect(database.indexes == ["a", "b"])
                try database.deleteIndex(forName: "a")
                #expect(database.indexes == ["b"])
            }
        }
        let passing: Older = Passing(database: database)
        try passing.run()
    }
}

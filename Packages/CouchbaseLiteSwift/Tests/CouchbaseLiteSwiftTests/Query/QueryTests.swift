import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// `sqlpp.md` §11: queries and parameters.
@Suite struct QueryTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    @Test func `a SQL++ query returns its rows`() throws {
        let names = try shop.texts("SELECT name FROM shop.chairs WHERE price < 200 ORDER BY name")
        // Null is greater than every number, as in the official engine.
        #expect(names == ["Oslo", "Turin"])
    }

    @Test func `a malformed query throws when created, with the position`() throws {
        expect(CBLError.invalidQuery) { _ = try shop.database.createQuery("SELECT FROM _") }
        do {
            _ = try shop.database.createQuery("SELECT LENTGH(name) FROM shop.chairs")
        } catch let error as NSError {
            #expect(
                error.localizedDescription
                    == "line 1, column 8: unknown function LENTGH; did you mean LENGTH?"
            )
        }
        expect(CBLError.missingIndex) {
            _ = try shop.database.createQuery("SELECT 1 FROM shop.chairs WHERE MATCH(none, 'x')")
        }
    }

    @Test func `rows are a snapshot, and a query can run again`() throws {
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs ORDER BY name")
        let before = try query.execute()
        try shop.save("c5", ["name": "Aachen"])
        #expect(before.allResults().count == 4)
        #expect(try query.execute().next()?.string(at: 0) == "Aachen")
    }

    @Test func `parameters are copied, and changing the returned ones has no effect`() throws {
        let query = try shop.database.createQuery(
            "SELECT name FROM shop.chairs WHERE price < $most ORDER BY name"
        )
        let parameters = Parameters().setInt(100, forName: "most")
        query.parameters = parameters
        parameters.setInt(1, forName: "most")
        #expect(try shop.texts(query) == ["Turin"])
        #expect(query.parameters?.value(forName: "most") as? Int == 100)
        let copy = Parameters(parameters: query.parameters).setInt(200, forName: "most")
        query.parameters = copy
        #expect(try shop.texts(query) == ["Oslo", "Turin"])
        query.parameters = nil
        #expect(try shop.texts(query) == [])
    }

    @Test func `a parameter accepts every type`() throws {
        let query = try shop.database.createQuery(
            "SELECT $s, $i, $f, $b, $d, $a, $o, $n FROM shop.makers LIMIT 1"
        )
        let date = Date(timeIntervalSince1970: 1_000_000)
        query.parameters = Parameters()
            .setString("x", forName: "s").setInt64(.max, forName: "i")
            .setDouble(2.5, forName: "f").setBoolean(true, forName: "b")
            .setDate(date, forName: "d").setValue([1, "two"], forName: "a")
            .setValue(["k": 1], forName: "o").setValue(nil, forName: "n")
        let row = try #require(try query.execute().next())
        #expect(row.string(at: 0) == "x")
        #expect(row.int64(at: 1) == .max)
        #expect(row.double(at: 2) == 2.5)
        #expect(row.value(at: 3) as? NSNumber == true)
        #expect(row.date(at: 4) == date)
        #expect(row.array(at: 5)?.string(at: 1) == "two")
        #expect(row.dictionary(at: 6)?.int(forKey: "k") == 1)
        #expect(row.value(at: 7) == nil)
        #expect(query.parameters?.value(forName: "d") as? Date == date)
    }

    @Test func `a parameter returns the object that was set`() throws {
        let dictionary = MutableDictionaryObject(data: ["n": 1])
        let array = MutableArrayObject(data: [1])
        let blob = Blob(contentType: "a/b", data: Data([1, 2]))
        let stored = MutableDocument(id: "d", data: ["o": ["k": 1]])
        try shop.makers.save(document: stored)
        let fixed = try #require(try shop.makers.document(id: "d")?.dictionary(forKey: "o"))
        let parameters = Parameters()
            .setDictionary(dictionary, forName: "d").setArray(array, forName: "a")
            .setBlob(blob, forName: "b").setValue(fixed, forName: "f")
            .setValue(["in": [dictionary]], forName: "p")
        let query = try shop.database.createQuery("SELECT $d, $a, $b, $f, $p FROM shop.makers")
        query.parameters = parameters
        for holder in [
            parameters, try #require(query.parameters), Parameters(parameters: parameters),
        ] {
            #expect(holder.value(forName: "d") as? MutableDictionaryObject === dictionary)
            #expect(holder.value(forName: "a") as? MutableArrayObject === array)
            #expect(holder.value(forName: "b") as? Blob === blob)
            #expect(holder.value(forName: "f") as? DictionaryObject === fixed)
            let plain = holder.value(forName: "p") as? [String: Any]
            #expect((plain?["in"] as? [Any])?.first as? MutableDictionaryObject === dictionary)
        }
    }

    @Test func `a query copies a mutable parameter when its parameters are set`() throws {
        let query = try shop.database.createQuery("SELECT $d.n FROM shop.makers LIMIT 1")
        let dictionary = MutableDictionaryObject(data: ["n": 1])
        let parameters = Parameters().setDictionary(dictionary, forName: "d")
        dictionary.setInt(2, forKey: "n")
        query.parameters = parameters
        dictionary.setInt(3, forKey: "n")
        #expect(try query.execute().next()?.int(at: 0) == 2)
        query.parameters = query.parameters
        #expect(try query.execute().next()?.int(at: 0) == 2)
        query.parameters = Parameters(parameters: query.parameters)
        #expect(try query.execute().next()?.int(at: 0) == 3)
    }

    @Test func `a new blob in a parameter or expression is returned with its content`() throws {
        let data = Data("new".utf8)
        let stream = { Blob(contentType: "a/b", contentStream: InputStream(data: data)) }
        let query = try shop.database.createQuery("SELECT $b, $l, $o FROM shop.makers LIMIT 1")
        for make in [{ Blob(contentType: "a/b", data: data) }, stream] {
            query.parameters = Parameters().setBlob(make(), forName: "b")
                .setValue([make()], forName: "l")
                .setDictionary(MutableDictionaryObject().setBlob(make(), forKey: "b"), forName: "o")
            let row = try #require(try query.execute().next())
            let blobs = [
                row.blob(at: 0), row.array(at: 1)?.blob(at: 0),
                row.dictionary(at: 2)?.blob(forKey: "b"),
            ]
            for blob in blobs {
                let blob = try #require(blob)
                #expect(blob.content == data && blob.contentType == "a/b" && blob.length == 3)
            }
            let built = QueryBuilder.select(SelectResult.expression(Expression.value(make())))
                .from(DataSource.collection(shop.makers))
            #expect(try built.execute().next()?.blob(at: 0)?.content == data)
        }
    }

    @Test func `a stored blob in a parameter equals itself and is returned with its content`()
        throws
    {
        let data = Data("stored".utf8)
        let document = MutableDocument(id: "b")
            .setBlob(Blob(contentType: "a/b", data: data), forKey: "blob")
        try shop.makers.save(document: document)
        let query = try shop.database.createQuery("SELECT $b FROM shop.makers WHERE blob = $b")
        let read = try #require(try shop.makers.document(id: "b")?.blob(forKey: "blob"))
        for blob in [read, document.blob(forKey: "blob")] {
            query.parameters = Parameters().setBlob(blob, forName: "b")
            #expect(try query.execute().next()?.blob(at: 0)?.content == data)
        }
    }

    @Test func `setting a parameter to nil removes it`() throws {
        let query = try shop.database.createQuery(
            "SELECT $n IS MISSING AS isMissing FROM shop.makers LIMIT 1"
        )
        query.parameters = Parameters().setInt(1, forName: "n")
        #expect(try query.execute().next()?.boolean(forKey: "isMissing") == false)
        query.parameters = Parameters(parameters: query.parameters).setString(nil, forName: "n")
        #expect(query.parameters?.value(forName: "n") == nil)
        #expect(try query.execute().next()?.boolean(forKey: "isMissing") == true)
        // So a name that is not in the query is then no error.
        query.parameters = Parameters().setInt(1, forName: "none").setValue(nil, forName: "none")
        #expect(try query.execute().allResults().count == 1)
    }

    @Test func `a value for an unknown parameter throws when the query runs`() throws {
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs")
        query.parameters = Parameters().setInt(1, forName: "nope")
        expect(CBLError.invalidQueryParam) { _ = try query.execute() }
    }

    @Test func `explain shows the SQL, the plan and the JSON, and the index that is used`() throws {
        let sql = "SELECT name FROM shop.chairs WHERE price = 120"
        let query = try shop.database.createQuery(sql)
        let before = try query.explain().components(separatedBy: "\n\n")
        #expect(before.count == 3)
        #expect(before[0].hasPrefix("SELECT") && before[1].contains("SCAN shop.chairs AS s0"))
        #expect(before[2].contains(#""WHAT":[[".name"]]"#))
        try shop.chairs.createIndex(withName: "byPrice", config: ValueIndexConfiguration(["price"]))
        #expect(try query.explain().contains("SEARCH shop.chairs AS s0 USING INDEX byPrice"))
    }

    @Test func `reindex keeps the indexes and the query results`() throws {
        try shop.chairs.createIndex(withName: "byPrice", config: ValueIndexConfiguration(["price"]))
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs WHERE price = 120")
        let before = try query.execute().allResults().map { $0.toJSON() }
        try shop.database.performMaintenance(type: .reindex)
        #expect(try query.execute().allResults().map { $0.toJSON() } == before)
        #expect(try shop.chairs.indexes() == ["byPrice"])
        #expect(try query.explain().contains("USING INDEX byPrice"))
        try shop.database.performMaintenance(type: .integrityCheck)
    }

    @Test func `query calls throw notOpen after the database is closed`() throws {
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs")
        try shop.database.close()
        expect(CBLError.notOpen) { _ = try query.execute() }
        expect(CBLError.notOpen) { _ = try query.explain() }
        expect(CBLError.notOpen) { _ = try shop.database.createQuery("SELECT 1 FROM _") }
    }

    @Test func `full-text search finds and ranks documents`() throws {
        try shop.chairs.createIndex(
            withName: "names",
            config: FullTextIndexConfiguration(["name"], language: "")
        )
        #expect(
            try shop.texts("SELECT META().id FROM shop.chairs WHERE MATCH(names, 'oslo')") == ["c1"]
        )
        let query = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(shop.chairs))
            .where(FullTextFunction.match(Expression.fullTextIndex("names"), query: "tur*"))
            .orderBy(Ordering.expression(FullTextFunction.rank(Expression.fullTextIndex("names"))))
        #expect(try shop.texts(query) == ["c3"])
    }
}

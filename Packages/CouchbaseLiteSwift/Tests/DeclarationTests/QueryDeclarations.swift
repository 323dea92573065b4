import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// `sqlpp.md` §11.
@Suite(.timeLimit(.minutes(5))) struct QueryDeclarations {
    private let place: Place
    let database: Database
    let collection: Collection

    init() throws {
        place = try Place()
        database = try place.open()
        collection = try database.defaultCollection()
        for (id, stars) in [("oslo", 5), ("bern", 3), ("turin", 4)] {
            let document = MutableDocument(id: id, data: ["name": id, "stars": stars])
            try collection.save(document: document)
        }
    }

    @Test func `a database creates queries from SQL++`() throws {
        let factory: QueryFactory = database
        let query: Query = try factory.createQuery("SELECT name FROM _ ORDER BY name")
        let _: CustomStringConvertible = query
        let names: [String?] = try query.execute().map { $0.string(at: 0) }
        #expect(names == ["bern", "oslo", "turin"])
        let plan: String = try query.explain()
        #expect(plan.contains("SCAN"))
        #expect(code { _ = try database.createQuery("SELECT FROM") } == CBLError.invalidQuery)
        #expect(code { _ = try database.createQuery("SELECT *") } == CBLError.invalidQuery)
    }

    @Test func `Query has listeners, whose tokens can be ignored`() async throws {
        let query = try database.createQuery("SELECT COUNT(*) AS n FROM _")
        let (changes, heard) = AsyncStream.makeStream(of: QueryChange.self)
        let first: ListenerToken = query.addChangeListener(withQueue: DispatchQueue(label: "q")) {
            (change: QueryChange) in heard.yield(change)
        }
        var iterator = changes.makeAsyncIterator()
        let change = try #require(await iterator.next())
        let told: Query = change.query
        let results: ResultSet? = change.results
        let error: Error? = change.error
        #expect(told === query)
        #expect(results?.next()?.int(forKey: "n") == 3)
        #expect(error == nil)
        first.remove()
        let second = query.addChangeListener { _ in }
        second.remove()
        query.addChangeListener(withQueue: nil) { _ in }
        query.addChangeListener { _ in }
    }

    @Test func `the deprecated method removes a listener by its token`() throws {
        struct Removing: Older {
            let query: Query
            @available(*, deprecated) func run() {
                query.removeChangeListener(withToken: query.addChangeListener { _ in })
            }
        }
        let removing: Older = Removing(query: try database.createQuery("SELECT 1 AS a FROM _"))
        try removing.run()
    }

    @Test func `a query has parameters, and a closed database creates no queries`() throws {
        let query = try database.createQuery("SELECT name FROM _ WHERE stars > $least")
        #expect(query.parameters == nil)
        query.parameters = Parameters().setInt(4, forName: "least")
        #expect(query.parameters?.value(forName: "least") as? Int == 4)
        #expect(try query.execute().allResults().count == 1)
        query.parameters = nil
        #expect(try query.execute().allResults().isEmpty)
        query.parameters = Parameters().setInt(4, forName: "most")
        #expect(code { _ = try query.execute() } == CBLError.invalidQueryParam)
        try database.close()
        #expect(code { _ = try query.execute() } == CBLError.notOpen)
        #expect(code { _ = try database.createQuery("SELECT 1 AS a FROM _") } == CBLError.notOpen)
    }

    @Test func `Parameters accept and return every type`() throws {
        let date = Date(timeIntervalSince1970: 1_500_000_000.5)
        let blob = Blob(contentType: "text/plain", data: Data("blob".utf8))
        let parameters: Parameters = Parameters()
            .setValue("any", forName: "any")
            .setString("text", forName: "string")
            .setNumber(NSNumber(value: 7), forName: "number")
            .setInt(Int.max, forName: "int")
            .setInt64(Int64.min, forName: "int64")
            .setFloat(1.5, forName: "float")
            .setDouble(Double.leastNonzeroMagnitude, forName: "double")
            .setBoolean(true, forName: "boolean")
            .setDate(date, forName: "date")
            .setBlob(blob, forName: "blob")
            .setArray(MutableArrayObject(data: [1, 2]), forName: "array")
            .setDictionary(MutableDictionaryObject(data: ["a": 1]), forName: "dictionary")
        let copy = Parameters(parameters: parameters)
        parameters.setString(nil, forName: "string")
        #expect(parameters.value(forName: "string") == nil)
        #expect(copy.value(forName: "string") as? String == "text")
        #expect(copy.value(forName: "any") as? String == "any")
        #expect(copy.value(forName: "number") as? Int == 7)
        #expect(copy.value(forName: "int") as? Int == Int.max)
        #expect(copy.value(forName: "int64") as? Int64 == Int64.min)
        #expect(copy.value(forName: "float") as? Float == 1.5)
        #expect(copy.value(forName: "double") as? Double == Double.leastNonzeroMagnitude)
        #expect(copy.value(forName: "boolean") as? Bool == true)
        #expect(copy.value(forName: "date") as? Date == date)
        #expect(copy.value(forName: "blob") as? Blob == blob)
        #expect((copy.value(forName: "array") as? ArrayObject)?.count == 2)
        #expect((copy.value(forName: "dictionary") as? DictionaryObject)?.int(forKey: "a") == 1)
        #expect(copy.value(forName: "none") == nil)
        #expect(Parameters(parameters: nil).value(forName: "a") == nil)
    }
}

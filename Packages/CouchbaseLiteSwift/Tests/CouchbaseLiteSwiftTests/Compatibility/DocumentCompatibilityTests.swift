import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Code as in applications, with only the official module imported; `api-map.md` §20.
///
/// That it compiles is half of the test. Names are unqualified, even `Collection`.
@Suite struct DocumentCompatibilityTests {
    let directory: TemporaryDirectory
    let database: Database
    let collection: Collection

    init() throws {
        directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        database = try Database(name: "travel", config: config)
        collection = try database.createCollection(name: "hotels", scope: "inventory")
    }

    @Test func `numbers of a document equal plain numbers in a dictionary`() throws {
        func areEqual(_ left: [String: Any], _ right: [String: Any]) -> Bool {
            NSDictionary(dictionary: left).isEqual(to: right)
        }
        let plain: [String: Any] = [
            "rooms": 120, "rating": 4.5, "share": Float(0.5), "open": true, "low": Int64.min,
            "high": UInt64.max, "small": UInt8(7), "note": NSNull(), "floors": [1, 2.5],
            "address": ["zip": 9000],
        ]
        let document = MutableDocument(id: "hotel-2", data: plain)
        #expect(areEqual(document.toDictionary(), plain))
        #expect(areEqual(plain, document.toDictionary()))
        #expect(NSArray(array: [document.toDictionary()]).isEqual(to: [plain]))
        #expect(!areEqual(["rooms": document.number(forKey: "rooms") ?? 0], ["rooms": 121]))
        #expect(!areEqual(["open": document.number(forKey: "open") ?? 0], ["open": false]))
        let boxed: [AnyHashable] = [NSNumber(value: 3), NSNumber(value: 3.0)]
        #expect(Set(boxed + [3]).count == 1)
    }

    @Test func `a document is created, saved, read and edited`() throws {
        let hotel = MutableDocument(id: "hotel-1")
            .setString("Grand", forKey: "name")
            .setInt(120, forKey: "rooms")
            .setDouble(4.5, forKey: "rating")
            .setBoolean(true, forKey: "open")
            .setDate(Date(timeIntervalSince1970: 0), forKey: "since")
            .setArray(MutableArrayObject(data: ["pool", "bar"]), forKey: "services")
        hotel["address"].value = ["city": "Ghent"]
        hotel["address"]["zip"].string = "9000"
        try collection.save(document: hotel)

        guard let document = try collection.document(id: "hotel-1") else {
            Issue.record("not saved")
            return
        }
        #expect(document.string(forKey: "name") == "Grand")
        #expect(document["services"][1].string == "bar")
        #expect(document["address"]["zip"].string == "9000")
        #expect(document.toJSON().contains(#""rooms":120"#))

        let mutable = document.toMutable()
        mutable.setString("Petit", forKey: "name")
        try collection.save(document: mutable)
        #expect(collection["hotel-1"]["name"].string == "Petit")
        #expect(collection.count == 1)
        try collection.delete(document: mutable)
        #expect(collection.count == 0)
    }

    @Test func `JSONSerialization values are stored and read back`() throws {
        let text = """
            {"yes":true,"no":false,"none":null,"rooms":12,"most":9223372036854775807,\
            "huge":18446744073709551615,"rating":4.5,"tags":["a",1,true,null,{"b":[]}],"empty":{}}
            """
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let properties = try #require(parsed as? [String: Any])
        try collection.save(document: MutableDocument(id: "json", data: properties))
        let document = try #require(try collection.document(id: "json"))
        #expect(document.value(forKey: "yes") as? Bool == true)
        #expect(document.value(forKey: "rooms") as? Int == 12)
        #expect(document.value(forKey: "rooms") as? Double == 12)
        #expect(!(document.value(forKey: "rooms") is Bool))
        let written = try JSONSerialization.data(
            withJSONObject: document.toDictionary(),
            options: .sortedKeys
        )
        let expected = try JSONSerialization.data(withJSONObject: properties, options: .sortedKeys)
        #expect(
            String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self)
        )
    }

    @Test func `a blob can be copied to another document as JSON`() throws {
        let photo = Blob(contentType: "image/jpeg", data: Data("photo".utf8))
        try collection.save(document: MutableDocument(id: "a").setBlob(photo, forKey: "avatar"))
        let json = try #require(try collection.document(id: "a")?.blob(forKey: "avatar")).toJSON()
        let copy = try MutableDictionaryObject().setJSON(json)
        #expect(Blob.isBlob(properties: copy.toDictionary()))
        try collection.save(
            document: MutableDocument(id: "b").setDictionary(copy, forKey: "avatar")
        )
        let blob = try collection.document(id: "b")?.blob(forKey: "avatar")
        #expect(blob?.content == Data("photo".utf8))
        #expect(blob == photo)
        #expect(try database.getBlob(properties: copy.toDictionary())?.length == 5)
    }

    @Test func `a conflict handler can merge two documents`() throws {
        try collection.save(document: MutableDocument(id: "xyz", data: ["name": "pears"]))
        guard let document = try collection.document(id: "xyz") else { return }
        let mutableDocument = document.toMutable()
        mutableDocument.setString("apples", forKey: "name")
        try collection.save(document: document.toMutable().setInt(3, forKey: "count"))

        let success = try collection.save(
            document: mutableDocument,
            conflictHandler: { (new, current) -> Bool in
                let currentDict = current!.toDictionary()
                let newDict = new.toDictionary()
                let result = newDict.merging(currentDict, uniquingKeysWith: { (first, _) in first })
                new.setData(result)
                return true
            }
        )
        #expect(success)
        #expect(collection["xyz"]["name"].string == "apples")
        #expect(collection["xyz"]["count"].int == 3)
    }

    @Test func `errors are recognized by their code`() throws {
        do {
            try collection.purge(id: "nothing")
        } catch let error as NSError {
            #expect(error.code == CBLError.notFound)
            #expect(error.domain == CBLError.domain)
        }
        do {
            try collection.purge(id: "nothing")
        } catch {
            #expect((error as NSError).code == CBLError.notFound)
        }
    }

    @Test func `a batch, a blob and an expiration work`() throws {
        try database.inBatch {
            for index in 0..<10 {
                let document = MutableDocument(id: "doc-\(index)", data: ["index": index])
                try collection.save(document: document)
            }
        }
        #expect(collection.count == 10)

        let blob = Blob(contentType: "text/plain", data: Data("hi".utf8))
        try collection.save(document: MutableDocument(id: "b").setBlob(blob, forKey: "note"))
        if let taken = try collection.document(id: "b")?.blob(forKey: "note") {
            #expect(taken.content == Data("hi".utf8))
            #expect(taken.properties["digest"] as? String == blob.digest)
        }

        let ttl = Calendar.current.date(byAdding: .day, value: 1, to: Date())
        try collection.setDocumentExpiration(id: "b", expiration: ttl)
        #expect(try collection.getDocumentExpiration(id: "b") != nil)
    }

    @Test func `scopes and collections are listed`() throws {
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                #expect(collection.fullName == "\(scope.name).\(collection.name)")
            }
        }
        let names = try database.collections(scope: "inventory").map { $0.name }
        #expect(names == ["hotels"])
        #expect(try database.collection(name: "hotels", scope: "inventory") == collection)
        #expect(try database.defaultCollection().name == Collection.defaultCollectionName)
    }

    @Test func `a listener is notified of changes`() async throws {
        let queue = DispatchQueue(label: "app")
        let ids = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[String], any Error>) in
            let token = collection.addChangeListener(queue: queue) { change in
                continuation.resume(returning: change.documentIDs)
            }
            do {
                try collection.save(document: MutableDocument(id: "heard"))
            } catch {
                continuation.resume(throwing: error)
            }
            queue.sync {}
            token.remove()
        }
        #expect(ids == ["heard"])
    }

    @available(*, deprecated)
    @Test func `code written before collections existed uses the default collection`() throws {
        let document = MutableDocument(id: "old", data: ["type": "draft"])
        try database.saveDocument(document)
        #expect(database.count == 1)
        #expect(database.document(withID: "old")?.string(forKey: "type") == "draft")
        #expect(database["old"]["type"].string == "draft")

        let queue = DispatchQueue(label: "app")
        let heard = Mutex<[String]>([])
        let token = database.addChangeListener(withQueue: queue) { change in
            heard.withLock { $0 += change.documentIDs }
        }
        let other = database.addDocumentChangeListener(withID: "old", queue: queue) { change in
            let text = "the document \(change.documentID) of \(change.database.name)"
            heard.withLock { $0.append(text) }
        }
        document.setString("final", forKey: "type")
        try database.saveDocument(document, concurrencyControl: .failOnConflict)
        queue.sync {}
        #expect(heard.withLock { $0 } == ["old", "the document old of travel"])
        database.removeChangeListener(withToken: token)
        database.removeChangeListener(withToken: other)

        let rival = MutableDocument(id: "old", data: ["type": "rival"])
        #expect(try !database.saveDocument(rival, concurrencyControl: .failOnConflict))
        #expect(try database.saveDocument(rival) { _, _ in true })
        try database.setDocumentExpiration(withID: "old", expiration: .distantFuture)
        #expect(database.getDocumentExpiration(withID: "old") != nil)
        try database.deleteDocument(rival)
        try database.purgeDocument(withID: "old")
        try database.saveDocument(MutableDocument(id: "old"))
        try database.compact()
        #expect(database.getDocumentExpiration(withID: "old") == nil)
    }

    @available(*, deprecated)
    @Test func `every way to configure logging compiles`() {
        let before = LogSinks.console
        defer { LogSinks.console = before }
        Database.setLogLevel(.verbose, domain: .replicator)
        Database.setLogLevel(.warning, domain: .replicator)
        Database.log.console.level = .warning
        Database.log.console.domains = .all
        LogSinks.console = ConsoleLogSink(level: .warning)
        LogSinks.file = nil
        #expect(LogSinks.console?.domains.contains(.replicator) == true)
    }
}

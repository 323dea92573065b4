import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Values that are encrypted in transit: two peers with the key, and a listener between them without it.
@Suite(.timeLimit(.minutes(5))) struct PropertyEncryptionTests {
    private let peers: Peers
    private let other: TemporaryDatabase
    private let listener: URLEndpointListener
    private let keys: PropertyKeys

    init() throws {
        peers = try Peers()
        other = try TemporaryDatabase("other")
        listener = try peers.listen {
            $0.disableTLS = true
            $0.enableDeltaSync = true
        }
        keys = try PropertyKeys(current: "1", keys: ["1": Self.key(1)])
    }

    private static func key(_ fill: UInt8) -> EncryptionKey {
        .key(Data(repeating: fill, count: 32))
    }

    private var here: CouchbaseLiteSwift.Collection {
        get throws { try peers.here.defaultCollection() }
    }
    private var there: CouchbaseLiteSwift.Collection {
        get throws { try peers.there.defaultCollection() }
    }

    /// A replicator between a collection and the listener.
    private func replicator(
        _ collection: CouchbaseLiteSwift.Collection,
        _ type: ReplicatorType = .pushAndPull,
        encryptor: DocumentPropertyEncryptor? = nil,
        decryptor: DocumentPropertyDecryptor? = nil
    ) throws -> Replicator {
        var config = try peers.configuration(
            type,
            target: listener.endpoint(),
            collections: [collection]
        )
        config.documentPropertyEncryptor = encryptor
        config.documentPropertyDecryptor = decryptor
        return Replicator(config: config)
    }

    private func sync(_ collection: CouchbaseLiteSwift.Collection) async throws {
        try await replicator(collection, encryptor: keys.encryptor, decryptor: keys.decryptor).run()
    }

    private func save(_ secret: String, into collection: CouchbaseLiteSwift.Collection) throws {
        let document = try collection.document(id: "ada")?.toMutable() ?? MutableDocument(id: "ada")
        document.setString("Ada", forKey: "name")
        document.setEncryptable(Encryptable(secret), forKey: "ssn")
        let inner = MutableDictionaryObject()
        inner.setEncryptable(Encryptable(["a": [1, NSNull()] as [Any]]), forKey: "card")
        document.setDictionary(inner, forKey: "wallet")
        try collection.save(document: document)
    }

    /// Runs a replicator; returns its document errors as `push|pull id code`.
    private func failures(_ replicator: Replicator) async -> [String] {
        let (heard, queue) = (Heard<String>(), DispatchQueue(label: "test"))
        replicator.addDocumentReplicationListener(withQueue: queue) { event in
            for document in event.documents {
                guard let error = document.error as NSError? else { continue }
                heard.append("\(event.isPush ? "push" : "pull") \(document.id) \(error.code)")
            }
        }
        _ = await replicator.statuses()
        queue.sync {}
        return heard.elements
    }

    /// Combines both values into one.
    private struct Joining: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            let (local, remote) = (conflict.localDocument, conflict.remoteDocument)
            guard let merged = local?.toMutable() else { return nil }
            let texts = [local, remote].map { $0?.encryptable(forKey: "ssn")?.string ?? "?" }
            return merged.setEncryptable(Encryptable(texts.joined(separator: "+")), forKey: "ssn")
        }
    }

    // MARK: Between peers

    @Test func `both clients read values that the listener between them cannot see`() async throws {
        try save("cantaloupe-77", into: here)
        try await sync(here)
        let middle = try #require(try there.document(id: "ada"))
        #expect(middle.string(forKey: "name") == "Ada")
        #expect(middle.keys.sorted() == ["encrypted$ssn", "name", "wallet"])
        let sealed = try #require(middle.dictionary(forKey: "encrypted$ssn"))
        #expect(sealed.keys.sorted() == ["alg", "ciphertext", "kid"])
        #expect(sealed.string(forKey: "kid") == "1")
        #expect(try !files(of: peers.there).contains("cantaloupe-77"))
        #expect(try files(of: peers.here).contains("cantaloupe-77") == (TestKey.chosen == nil))

        try await sync(other.collection)
        let far = try #require(try other.collection.document(id: "ada"))
        #expect(far.encryptable(forKey: "ssn")?.string == "cantaloupe-77")
        let card = far.dictionary(forKey: "wallet")?.encryptable(forKey: "card")
        #expect(card == Encryptable(["a": [1, NSNull()] as [Any]]))
        let near = try #require(try here.document(id: "ada"))
        #expect(far.toJSON() == near.toJSON())
        #expect(far.revisionID == near.revisionID && far.revisionID == middle.revisionID)

        try save("honeydew-88", into: other.collection)
        try await sync(other.collection)
        try await sync(here)
        #expect(try here.document(id: "ada")?.encryptable(forKey: "ssn")?.string == "honeydew-88")
        #expect(try !files(of: peers.there).contains("honeydew-88"))
        #expect(try await settled())
    }

    /// Whether a further run transfers nothing.
    private func settled() async throws -> Bool {
        let a = try here.document(id: "ada")?.sequence
        let b = try there.document(id: "ada")?.sequence
        try await sync(here)
        return try here.document(id: "ada")?.sequence == a
            && there.document(id: "ada")?.sequence == b
    }

    /// Everything in the files of a database, as text.
    private func files(of database: Database) throws -> String {
        let path = try #require(database.path)
        let names = try #require(FileManager.default.enumerator(atPath: path))
        var text = ""
        for case let name as String in names {
            let data = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }

    @Test func `values with an old key can be decrypted, and those without a key stay encrypted`()
        async throws
    {
        try save("one", into: here)
        try await sync(here)
        let newer = try PropertyKeys(current: "2", keys: ["1": Self.key(1), "2": Self.key(2)])
        let reader = try other.collection
        try await replicator(reader, .pull, decryptor: newer.decryptor).run()
        #expect(try reader.document(id: "ada")?.encryptable(forKey: "ssn")?.string == "one")
        try save("two", into: here)
        try await replicator(here, .push, encryptor: newer.encryptor).run()
        let sealed = try there.document(id: "ada")?.dictionary(forKey: "encrypted$ssn")
        #expect(sealed?.string(forKey: "kid") == "2")
        try await replicator(reader, .pull, decryptor: keys.decryptor).run()
        let left = try #require(try reader.document(id: "ada"))
        #expect(left.string(forKey: "name") == "Ada" && !left.contains(key: "ssn"))
        #expect(left.dictionary(forKey: "encrypted$ssn") == sealed)
    }

    @Test func `without a decryptor an encrypted property is kept and pushed back unchanged`()
        async throws
    {
        try save("one", into: here)
        try await sync(here)
        let reader = try other.collection
        try await replicator(reader).run()
        let document = try #require(try reader.document(id: "ada")?.toMutable())
        let sealed = try #require(document.dictionary(forKey: "encrypted$ssn")).toDictionary()
        document.setString("Ada Lovelace", forKey: "name")
        try reader.save(document: document)
        try await replicator(reader).run()
        let middle = try #require(try there.document(id: "ada"))
        let kept = try #require(middle.dictionary(forKey: "encrypted$ssn")).toDictionary()
        #expect(kept as NSDictionary == sealed as NSDictionary)
        try await sync(here)
        let back = try #require(try here.document(id: "ada"))
        #expect(back.string(forKey: "name") == "Ada Lovelace")
        #expect(back.encryptable(forKey: "ssn")?.string == "one")
    }

    @Test func `documents with encrypted properties are not sent as deltas`() async throws {
        let long = String(repeating: "text ", count: 400)
        let document = MutableDocument(id: "ada").setString(long, forKey: "text")
        try here.save(document: document.setEncryptable(Encryptable("one"), forKey: "ssn"))
        try await sync(here)
        try await sync(other.collection)
        // A change next to the value, one to the value, and its removal: all arrive intact.
        for step in 0..<3 {
            let edited = try #require(try here.document(id: "ada")?.toMutable())
            switch step {
            case 0: edited.setInt(1, forKey: "count")
            case 1: edited.setEncryptable(Encryptable("two"), forKey: "ssn")
            default: edited.removeValue(forKey: "ssn")
            }
            try here.save(document: edited)
            let push = try replicator(here, .push, encryptor: keys.encryptor)
            try await push.run()
            #expect(push.statistics.pushedDeltas.count == 0)
            try await sync(other.collection)
            let (near, far) = (
                try here.document(id: "ada"), try other.collection.document(id: "ada")
            )
            #expect(far?.toJSON() == near?.toJSON())
            #expect(try there.document(id: "ada")?.contains(key: "encrypted$ssn") == (step < 2))
        }
    }

    // MARK: What is refused

    @Test func `without an encryptor the document is not pushed, but the others are`() async throws
    {
        try save("one", into: here)
        try here.put("plain", 1)
        #expect(try await failures(replicator(here, .push)) == ["push ada \(CBLError.crypto)"])
        #expect(try there.document(id: "ada") == nil)
        #expect(try there.value("plain") == 1)
        // Not retried until it changes or the checkpoint is reset.
        #expect(try await failures(replicator(here, .push)) == [])
        try save("two", into: here)
        try await sync(here)
        #expect(try there.document(id: "ada")?.contains(key: "encrypted$ssn") == true)
    }

    @Test func `a listener does not send its own encryptable values`() async throws {
        try save("one", into: there)
        try there.put("plain", 1)
        let pull = try replicator(here, .pull, decryptor: keys.decryptor)
        #expect(await failures(pull) == ["pull ada 10403"])
        #expect(try here.document(id: "ada") == nil)
        #expect(try here.value("plain") == 1)
    }

    @Test func `if the encryptor fails, the document is not pushed`() async throws {
        struct NoKey: Error {}
        try save("one", into: here)
        for encryptor: DocumentPropertyEncryptor in [
            { _, _ in throw NoKey() }, { _, _ in nil },
            { _, _ in EncryptedProperty(ciphertext: Data()) },
        ] {
            let push = try replicator(here, .push, encryptor: encryptor)
            let expected = ["push ada \(CBLError.crypto)"]
            #expect(await failures(push) == expected)
            try save("again", into: here)
        }
        #expect(try there.document(id: "ada") == nil)
    }

    @Test func `if the decryptor fails, the document is not stored`() async throws {
        try save("one", into: here)
        try await sync(here)
        let wrong = try PropertyKeys(current: "1", keys: ["1": Self.key(9)])
        let pull = try replicator(other.collection, .pull, decryptor: wrong.decryptor)
        #expect(await failures(pull) == ["pull ada \(CBLError.crypto)"])
        #expect(try other.collection.document(id: "ada") == nil)
        try there.put("later", 1)
        try save("two", into: here)
        try await sync(here)
        let noise = try replicator(other.collection, .pull, decryptor: { _, _ in Data([0xFF]) })
        #expect(await failures(noise) == ["pull ada \(CBLError.crypto)"])
        #expect(try other.collection.document(id: "ada") == nil)
    }

    @Test func `an unavailable key service is retried later`() async throws {
        try save("one", into: here)
        let attempts = Mutex(0)
        let away = NSError(domain: CBLError.domain, code: CBLError.httpServiceUnavailable)
        let encryptor: DocumentPropertyEncryptor = { [keys] property, input in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            guard attempt > 1 else { throw away }
            return try keys.encryptor(property, input)
        }
        let push = try replicator(here, .push, encryptor: encryptor)
        let statuses = await push.statuses()
        #expect(statuses.contains { $0.activity == .offline })
        #expect((statuses.last?.error as NSError?) == nil)
        #expect(attempts.withLock { $0 } == 3)
        let reads = Mutex(0)
        let decryptor: DocumentPropertyDecryptor = { [keys] property, input in
            let attempt = reads.withLock { count in
                count += 1
                return count
            }
            guard attempt > 1 else { throw away }
            return try keys.decryptor(property, input)
        }
        let pull = try replicator(other.collection, .pull, decryptor: decryptor)
        #expect(await pull.statuses().contains { $0.activity == .offline })
        let far = try other.collection.document(id: "ada")
        #expect(far?.encryptable(forKey: "ssn")?.string == "one")
    }

    // MARK: Outside replication

    @Test func `callbacks get the property's path and the complete document`() async throws {
        let people = try peers.here.createCollection(name: "people", scope: "hr")
        let box = try peers.there.createCollection(name: "people", scope: "hr")
        try save("one", into: people)
        let seen = Heard<String>()
        let open = try peers.listen(collections: [box]) { $0.disableTLS = true }
        var config = try peers.configuration(target: open.endpoint(), collections: [people])
        config.documentPropertyEncryptor = { property, input in
            let name = property.properties["name"] as? String ?? ""
            let json = String(decoding: input, as: UTF8.self)
            seen.append(
                "\(property.scope).\(property.collection) \(property.documentID) "
                    + "\(property.keyPath) \(name) \(json)"
            )
            return EncryptedProperty(ciphertext: Data([0, 0xFF]), keyID: nil)
        }
        try await Replicator(config: config).run()
        #expect(
            seen.elements == [
                #"hr.people ada ssn Ada "one""#, #"hr.people ada wallet.card Ada {"a":[1,null]}"#,
            ]
        )
        let sealed = try box.document(id: "ada")?.dictionary(forKey: "encrypted$ssn")
        #expect(sealed?.toJSON() == #"{"alg":"CB_MOBILE_CUSTOM","ciphertext":"AP8="}"#)
    }

    @Test func `local queries read the value under its own name`() async throws {
        try save("one", into: here)
        let query = "SELECT meta().id FROM _default WHERE ssn.`value` = 'one'"
        #expect(try peers.here.createQuery(query).execute().allResults().count == 1)
        try await sync(here)
        #expect(try peers.there.createQuery(query).execute().allResults().isEmpty)
    }

    @Test func `resolvers get decrypted values, and a merge is encrypted`() async throws {
        try save("one", into: here)
        try await sync(here)
        try await sync(other.collection)
        try save("two", into: other.collection)
        try await sync(other.collection)
        try save("three", into: here)
        var config = try peers.configuration(target: listener.endpoint()) {
            $0.conflictResolver = Joining()
        }
        config.documentPropertyEncryptor = keys.encryptor
        config.documentPropertyDecryptor = keys.decryptor
        try await Replicator(config: config).run()
        try await sync(here)
        try await sync(other.collection)
        for collection in [try here, try other.collection] {
            let document = try collection.document(id: "ada")
            #expect(document?.encryptable(forKey: "ssn")?.string == "three+two")
        }
        #expect(try there.document(id: "ada")?.contains(key: "ssn") == false)
    }

    @Test func `invalid keys throw invalidParameter`() throws {
        expect(CBLError.invalidParameter) {
            _ = try PropertyKeys(current: "2", keys: ["1": Self.key(1)])
        }
        expect(CBLError.invalidParameter) {
            _ = try PropertyKeys(current: "1", keys: ["1": .key(Data([1]))])
        }
    }
}

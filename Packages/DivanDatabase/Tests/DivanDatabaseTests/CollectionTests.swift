import DivanDatabase
import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

/// Collections and scopes, and their names.
@Suite struct CollectionTests {
    @Test(arguments: [
        ("people", "_default", "people", "people"), ("a.b", "a", "b", "a.b"),
        ("_default", "_default", "_default", "_default"),
        ("_default._default", "_default", "_default", "_default"),
        ("_default.people", "_default", "people", "people"),
        ("A-1_%.z%", "A-1_%", "z%", "A-1_%.z%"),
    ])
    func `parses a collection path`(
        text: String,
        scope: String,
        name: String,
        wireName: String
    ) throws {
        let path = try #require(CollectionPath(text))
        #expect(path.scope == scope && path.name == name && path.wireName == wireName)
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a.b.c", "_people", "%a", "a b", "é", "a/b", "scope._default",
        String(repeating: "x", count: 252),
    ])
    func `rejects an invalid collection path`(_ text: String) {
        #expect(CollectionPath(text) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `collections are separate even if their names differ only in case`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let paths = try ["people", "People", "work.people"].map {
            try #require(CollectionPath($0))
        }
        for path in paths {
            try room.store.createCollection(path)
            try room.store.createCollection(path)
        }
        #expect(try room.store.collections() == [.default] + paths)
        try room.store.write { writer in
            for (index, path) in paths.enumerated() {
                let body = Array("{\"n\":\(index)}".utf8)
                _ = try writer.save("doc", in: path, body: body)
            }
        }
        for (index, path) in paths.enumerated() {
            let document = try room.store.read { try $0.document("doc", in: path) }
            #expect(document?.text == "{\"n\":\(index)}" && document?.sequence == 1)
        }
        #expect(try room.count() == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `a deleted collection is empty when it is created again`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let path = try #require(CollectionPath("people"))
        try room.store.createCollection(path)
        try room.store.write { _ = try $0.save("doc", in: path, body: Array("{}".utf8)) }
        try room.store.deleteCollection(path)
        try room.store.deleteCollection(path)
        #expect(try !room.store.hasCollection(path))
        let code = try refusal { _ = try room.store.read { try $0.count(in: path) } }
        #expect(code == .noSuchCollection(path))

        try room.store.createCollection(path)
        let (count, last) = try room.store.read {
            (try $0.count(in: path), try $0.lastSequence(in: path))
        }
        // No sequence is reused: somebody may know how far the previous collection had come.
        #expect(count == 0 && last == 1)
        try room.store.write { _ = try $0.save("doc", in: path, body: Array("{}".utf8)) }
        try room.store.deleteCollection(path)
        try room.store.createCollection(path)
        #expect(try room.store.read { try $0.lastSequence(in: path) } == 2)
    }

    @Test(arguments: EngineKind.allCases)
    func `the default collection always exists`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("doc")
        try room.store.deleteCollection(.default)
        #expect(try room.store.hasCollection(.default))
        #expect(try room.count() == 0)
        #expect(try room.save("doc").sequence == 2)
    }

    @Test(arguments: EngineKind.allCases)
    func `document IDs with a prefix are listed from any position`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let all: [DocumentID] = ["a", "ab", "b", "ba", "bb", "b\u{E9}", "be\u{301}", "c"]
        for id in all { try room.save(id) }
        try room.save("bx")
        try room.save("bx", isTombstone: true)
        for prefix in ["", "a", "b", "bb", "be", "b\u{E9}", "x"] {
            let fitting = all.sorted().filter { $0.text.utf8.starts(with: prefix.utf8) }
            for last in [nil, "", "a", "b", "ba", "bz", "c"] as [DocumentID?] {
                let behind = fitting.filter { id in last.map { $0 < id } ?? true }
                for limit in 0...all.count {
                    let ids = try room.store.read {
                        try $0.documentIDs(in: .default, prefix: prefix, after: last, limit: limit)
                    }
                    #expect(ids == Array(behind.prefix(limit)), "\(prefix) behind \(last as Any)")
                }
            }
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `the last sequences of all collections are read in one call`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let path = try #require(CollectionPath("people"))
        try room.store.createCollection(path)
        try room.save("one")
        try room.save("two")
        #expect(try room.store.read { try $0.lastSequences() } == [.default: 2, path: 0])
    }

    @Test(arguments: EngineKind.allCases)
    func `creating a collection is rolled back with its transaction`(_ kind: EngineKind) throws {
        struct Refused: Error {}
        let room = try StoreFixture(kind)
        let path = try #require(CollectionPath("people"))
        #expect(throws: Refused.self) {
            try room.store.write { writer in
                try writer.createCollection(path)
                _ = try writer.save("doc", in: path, body: Array("{}".utf8))
                throw Refused()
            }
        }
        #expect(try room.store.collections() == [.default])
        try room.store.createCollection(path)
        #expect(try room.store.read { try $0.document("doc", in: path) } == nil)
    }

    /// More than are kept in a list.
    @Test(arguments: EngineKind.allCases)
    func `one transaction can change many collections, and observers are notified of each`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let paths = (0..<40).compactMap { CollectionPath(scope: "s", name: "c\($0)") }
        let gone = Set(stride(from: 0, to: 40, by: 3).map { paths[$0] })
        let told = Mutex<[CollectionPath]>([])
        let observation = room.store.observe { change in
            guard !change.changes.isEmpty else { return }
            told.withLock { $0.append(change.collection) }
        }
        defer { observation.cancel() }
        try room.store.write { writer in
            for path in paths {
                try writer.createCollection(path)
                _ = try writer.save("doc", in: path, body: Array("{}".utf8))
            }
            for path in gone { try writer.deleteCollection(path) }
            for path in paths where !gone.contains(path) {
                #expect(try writer.count(in: path) == 1)
                _ = try writer.save("later", in: path, body: Array("{}".utf8))
            }
            let there = try paths.filter { try writer.hasCollection($0) }
            #expect(there.count == 26)
        }
        let left = paths.filter { !gone.contains($0) }
        #expect(told.withLock { $0 } == left)
        let counts = try room.store.read { reader in
            try (left + left.reversed()).map { try reader.count(in: $0) }
        }
        #expect(counts.allSatisfy { $0 == 2 })
        for path in gone {
            #expect(throws: StoreError.self) { try room.store.read { try $0.count(in: path) } }
        }
    }
}

import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanTestKit
import Foundation
import Testing

/// Documents between two stores, over a pair of transports in this process.
@Suite(.timeLimit(.minutes(5))) struct ReplicationTests {
    @Test func `a one-shot run syncs both sides and ends`() async throws {
        let stores = TwoStores()
        for number in 0..<300 {
            try stores.here.put(DocumentID(unchecked: "here-\(number)"), number)
            try stores.there.put(DocumentID(unchecked: "there-\(number)"), number)
        }
        let run = Run(stores.here, stores.configuration())
        let statuses = await run.toTheEnd()

        #expect(statuses.first?.activity == .connecting)
        #expect(statuses.last?.activity == .stopped)
        #expect(statuses.last?.error == nil)
        for store in [stores.here, stores.there] {
            #expect(try store.read { try $0.count(in: .default) } == 600)
        }
        #expect(run.documents.events.count == 600)
    }

    @Test func `a continuous session syncs changes as they are made`() async throws {
        let stores = TwoStores()
        let run = Run(stores.here, stores.configuration(stores.active(isContinuous: true)))
        run.session.start()
        #expect(await run.reached(.idle) != nil)

        let (here, there) = (stores.here, stores.there)
        try here.put("a", 1)
        try await there.wait { try there.text("a") == #"{"value":1}"# }
        try there.put("a", 2)
        try await here.wait { try here.text("a") == #"{"value":2}"# }
        try here.delete("a")
        try await there.wait { try there.text("a") == nil }

        run.session.stop()
        #expect(await run.reached(.stopped)?.error == nil)
    }

    @Test func `a burst of commits arrives completely`() async throws {
        let stores = TwoStores()
        let run = Run(stores.here, stores.configuration(stores.active(isContinuous: true)))
        run.session.start()
        #expect(await run.reached(.idle) != nil)
        for number in 0..<200 { try stores.here.put(DocumentID(unchecked: "\(number)"), number) }
        let there = stores.there
        try await there.wait { try there.read { try $0.count(in: .default) } == 200 }
        run.session.stop()
        #expect(await run.reached(.stopped) != nil)
    }

    @Test func `the second run resumes from the checkpoint`() async throws {
        let stores = TwoStores()
        try stores.here.put("a", 1)
        _ = await Run(stores.here, stores.configuration()).toTheEnd()
        let second = Run(stores.here, stores.configuration())
        _ = await second.toTheEnd()
        #expect(second.documents.events.isEmpty)
    }

    @Test func `documents are pending until they are acknowledged`() async throws {
        let stores = TwoStores()
        let peer = stores.active { $0.pushFilter = { $0.documentID != "hidden" } }
        guard case .active(let options) = peer.role else { return }
        let pending = PendingDocuments(store: stores.here, options: options)
        for id in ["a", "b", "hidden"] { try stores.here.put(DocumentID(unchecked: id), 1) }
        #expect(try pending.documentIDs(in: .default) == ["a", "b"])

        _ = await Run(stores.here, stores.configuration(peer)).toTheEnd()
        #expect(try pending.documentIDs(in: .default) == [])
        try stores.here.delete("b")
        #expect(try pending.documentIDs(in: .default) == ["b"])
        let elsewhere = try #require(CollectionPath("elsewhere"))
        #expect(try pending.documentIDs(in: elsewhere) == nil)
    }

    /// The ID is followed by the head of the row; the text is in its body.
    @Test(arguments: ["document 7.", #""mark":"7"#])
    func `a damaged document is pending, and the others are counted`(place: String) throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/damaged.cblite2"
        let whole = try Store.open(directory: path)
        for number in 0..<9 {
            let id = DocumentID(unchecked: "document \(number).")
            _ = try whole.save(id, in: .default, body: Array(#"{"mark":"\#(number) here"}"#.utf8))
        }
        try whole.close()
        let file = URL(filePath: path + "/db.sqlite3")
        #expect(try RowDamage.change(behind: place, near: "here", in: file) == 1)
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        guard case .active(let options) = TwoStores().active({ $0.pushFilter = { _ in true } }).role
        else { return }
        let pending = PendingDocuments(store: store, options: options)
        #expect(try pending.count(in: .default) == 9)
        #expect(try pending.documentIDs(in: .default)?.contains("document 7.") == true)
        #expect(try pending.isPending("document 7.", in: .default) == true)
    }

    /// `behaviour.md` §8: document IDs take precedence over the filter.
    @Test func `with document IDs only changed documents with those IDs are pending`() throws {
        let stores = TwoStores()
        let peer = stores.active { collection in
            collection.documentIDs = (0..<3_000).map { DocumentID(unchecked: "doc\($0)") }
            collection.pushFilter = { _ in false }
        }
        guard case .active(let options) = peer.role else { return }
        try stores.here.write { _ in
            for number in 2_000..<4_000 {
                try stores.here.put(DocumentID(unchecked: "doc\(number)"), number)
            }
        }
        let pending = PendingDocuments(store: stores.here, options: options)
        #expect(try pending.count(in: .default) == 1_000)
        #expect(try pending.documentIDs(in: .default)?.contains("doc2999") == true)
        #expect(try pending.isPending("doc2999", in: .default) == true)
        #expect(try pending.isPending("doc3000", in: .default) == false)
        #expect(try pending.isPending("doc1", in: .default) == false)
    }

    @Test func `three Unicode spellings of an ID are pending separately`() async throws {
        let spellings: Set<DocumentID> = ["A\u{30A}", "\u{C5}", "\u{212B}"]
        let stores = TwoStores()
        guard case .active(let options) = stores.active().role else { return }
        let pending = PendingDocuments(store: stores.here, options: options)
        for id in spellings { try stores.here.put(id, 1) }
        #expect(try pending.documentIDs(in: .default) == spellings)
        _ = await Run(stores.here, stores.configuration()).toTheEnd()
        #expect(try stores.there.read { try $0.count(in: .default) } == 3)
        #expect(try pending.documentIDs(in: .default) == [])
        try stores.here.put("\u{C5}", 2)
        #expect(try pending.documentIDs(in: .default) == ["\u{C5}"])
    }

    @Test func `many pending documents are counted in batches`() throws {
        let stores = TwoStores()
        guard case .active(let options) = stores.active().role else { return }
        try stores.here.write { _ in
            for number in 0..<2_100 {
                try stores.here.put(DocumentID(unchecked: "\(number)"), number)
            }
        }
        let pending = PendingDocuments(store: stores.here, options: options)
        #expect(try pending.documentIDs(in: .default)?.count == 2_100)
    }

    @Test func `a row without a sequence is damaged and pending`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/zero.cblite2"
        let whole = try Store.open(directory: path, options: StoreOptions(create: true))
        _ = try whole.save("a", in: .default, body: Array("{}".utf8))
        try whole.close()
        try RowDamage.edit(
            path + "/db.sqlite3",
            "UPDATE docs_1 SET sequence = 0, checksum = NULL; UPDATE collections SET uncheckedThrough = 5"
        )
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        guard case .active(let options) = TwoStores().active().role else { return }
        let pending = PendingDocuments(store: store, options: options)
        #expect(try pending.isPending("a", in: .default) == true)
    }
}

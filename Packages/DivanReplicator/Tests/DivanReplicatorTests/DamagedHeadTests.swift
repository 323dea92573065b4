import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// A document that a failing disk has changed stays where it is, and holds up no other.
@Suite struct DamagedHeadTests {
    private static let count = 60
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A database of which nothing can be read of document 7 but its ID.
    private func damagedSite() throws -> Site {
        let path = folder.path + "/damaged.cblite2"
        let whole = try Store.open(directory: path)
        for number in 0..<Self.count {
            let id = DocumentID(unchecked: "document \(number).")
            _ = try whole.save(id, in: .default, body: Array(#"{"mark":"here"}"#.utf8))
        }
        try whole.close()
        // The generation stands behind the ID, and the body follows.
        let file = URL(filePath: path + "/db.sqlite3")
        let count = try RowDamage.change(behind: "document 7.", near: "mark", in: file)
        #expect(count == 1)
        return try Site(try Store.open(directory: path))
    }

    @Test func `a push leaves it, tells, and pushes the others`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        var options = Conversation.Options(pulls: false)
        options.limits.changesCount = 5
        for _ in 0..<2 {
            let run = Conversation.oneShot(options, here, there)
            #expect(run.failures.map(\.documentID) == ["document 7."])
            #expect(run.error == nil)
            #expect(try there.contents().count == Self.count - 1)
        }
    }

    @Test func `what was pushed behind it is not read again for a filter`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        let askedCount = Mutex(0)
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.pushFilter = { _ in
            askedCount.withLock { $0 += 1 }
            return true
        }
        let options = options(collection)
        for _ in 0..<3 {
            #expect(Conversation.oneShot(options, here, there).error == nil)
            #expect(askedCount.withLock { $0 } == Self.count - 1)
        }
    }

    private func options(
        _ collection: PeerConfiguration.CollectionOptions
    ) -> Conversation.Options {
        var options = Conversation.Options(pulls: false)
        options.collections = [collection]
        return options
    }

    @Test func `one that is not wanted holds up no checkpoint`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.documentIDs = ["document 3.", "document 40."]
        let options = options(collection)
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures.isEmpty && run.error == nil)
        #expect(try there.contents().count == 2)
        guard case .active(let active) = options.active.role else { return }
        let names = CheckpointNames(of: collection, active, in: here.store)
        let saved = try #require(try names.localCopy(in: here.store))
        #expect(Checkpoint(json: saved.body).completed.firstRangeEnd == UInt64(Self.count))
    }

    @Test func `who pulls gets the others`() throws {
        let there = try damagedSite()
        defer { try? there.store.close() }
        let here = try Site()
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(run.error == nil)
        #expect(try here.contents().count == Self.count - 1)
    }
}

import CouchbaseLiteSwift
import Foundation
import Testing

/// `Collection.conflicts()` lists unresolved conflicts.
@Suite(.timeLimit(.minutes(5))) struct ConflictListTests {
    @Test func `open conflicts are listed with both sides until they are resolved`() async throws {
        let peers = try Peers()
        let (ours, theirs) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for id in ["soup", "tea", "stew"] {
            try ours.put(id, 1)
            try theirs.put(id, 2)
        }
        try ours.put("bread", 1)
        #expect(try ours.conflicts().isEmpty)
        let leaving = Replicator(
            config: try peers.configuration(.pull) { $0.conflictResolver = .leaveOpen }
        )
        _ = await leaving.finalCode()
        let conflicts = try ours.conflicts()
        #expect(Set(conflicts.map(\.documentID)) == ["soup", "tea", "stew"])
        #expect(conflicts.allSatisfy { $0.localDocument?.int(forKey: "value") == 1 })
        #expect(conflicts.allSatisfy { $0.remoteDocument?.int(forKey: "value") == 2 })
        #expect(try ours.conflicts(limit: 2).count == 2)
        #expect(try ours.conflicts(limit: -1).isEmpty)

        let deciding = Replicator(
            config: try peers.configuration(.pull) { $0.conflictResolver = .remoteWins }
        )
        #expect(await deciding.finalCode() == 0)
        #expect(try ours.conflicts().isEmpty)
    }

    @Test func `a deleted side of a conflict is nil`() async throws {
        let peers = try Peers()
        let (ours, theirs) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try ours.put("soup", 1)
        try await Replicator(config: try peers.configuration()).run()
        try ours.put("soup", 2)
        let gone = try #require(try theirs.document(id: "soup"))
        try theirs.delete(document: gone)
        let replicator = Replicator(
            config: try peers.configuration(.pull) { $0.conflictResolver = .leaveOpen }
        )
        _ = await replicator.finalCode()
        let conflict = try #require(try ours.conflicts().first)
        #expect(conflict.localDocument?.int(forKey: "value") == 2)
        #expect(conflict.remoteDocument == nil)
        #expect(conflict.baseDocument?.int(forKey: "value") == 1)
    }

    @Test func `listing conflicts of a closed database throws notOpen`() throws {
        let database = try Database.inMemory()
        let collection = try database.defaultCollection()
        try database.close()
        #expect(throws: NSError.self) { try collection.conflicts() }
    }
}

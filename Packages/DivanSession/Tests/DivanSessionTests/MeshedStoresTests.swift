import DivanConflicts
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTestKit
import Testing

/// Databases that are linked several times over: each revision is received once, and merges come to an end.
@Suite(.timeLimit(.minutes(5))) struct MeshedStoresTests {
    private static let count = 6

    @Test(arguments: UInt64(0)..<TestLength.of(1, long: 8))
    func `a bulk load is received about once by each peer`(seed: UInt64) throws {
        let mesh = MeshedStores(Self.count, seed: seed)
        mesh.loop.run(for: .seconds(5))
        for number in 0..<200 {
            try mesh.stores[0].put(DocumentID(unchecked: "\(number)"), number)
        }
        let isEqual = try mesh.run(atMost: .seconds(30), untilEqualWith: 200)
        #expect(isEqual, "seed \(seed)")
        mesh.loop.run(for: .seconds(5))
        #expect(mesh.receivedCount * 10 <= 200 * (Self.count - 1) * 11, "\(mesh.receivedCount)")
        mesh.stop()
    }

    @Test(arguments: UInt64(0)..<TestLength.of(1, long: 8))
    func `documents saved one at a time are received at most one and a half times`(
        seed: UInt64
    ) throws {
        let mesh = MeshedStores(Self.count, seed: seed)
        mesh.loop.run(for: .seconds(5))
        for number in 0..<10 {
            try mesh.stores[number % Self.count].put(DocumentID(unchecked: "\(number)"), number)
            let isEqual = try mesh.run(atMost: .seconds(1), untilEqualWith: number + 1)
            #expect(isEqual, "seed \(seed), document \(number)")
        }
        mesh.loop.run(for: .seconds(5))
        #expect(mesh.receivedCount * 2 <= 10 * (Self.count - 1) * 3, "\(mesh.receivedCount)")
        mesh.stop()
    }

    @Test(arguments: UInt64(0)..<TestLength.of(1, long: 8))
    func `nothing is lost if all connections fail during a bulk load`(seed: UInt64) throws {
        let mesh = MeshedStores(Self.count, seed: seed)
        mesh.loop.run(for: .seconds(5))
        for number in 0..<200 {
            try mesh.stores[0].put(DocumentID(unchecked: "\(number)"), number)
        }
        mesh.loop.run(for: .milliseconds(10))
        mesh.network.lose(.reset)
        let isEqual = try mesh.run(atMost: .seconds(60), untilEqualWith: 200)
        #expect(isEqual, "seed \(seed)")
        mesh.stop()
    }

    /// Each peer adds a key to the same document, and the resolver always returns a merged body.
    @Test(arguments: [RevisionScheme.trees, .vectors])
    func `equal merges end in one revision, and no other one follows`(
        scheme: RevisionScheme
    ) throws {
        let union = ClosureResolver { conflict in
            switch try FieldMergeResolver().resolve(conflict) {
            case .keepLocal: .merge(body: conflict.local.body)
            case .keepRemote: .merge(body: conflict.remote.body)
            case let resolution: resolution
            }
        }
        let mesh = MeshedStores(Self.count, seed: 7, scheme: scheme, resolver: union)
        mesh.loop.run(for: .seconds(5))
        for (number, store) in mesh.stores.enumerated() {
            _ = try store.write { writer in
                try writer.save("doc", in: .default, body: Array(#"{"\#(number)":true}"#.utf8))
            }
        }
        let isEqual = try mesh.run(atMost: .seconds(30), untilEqualWith: 1)
        #expect(isEqual)
        let merged = try #require(try mesh.stores[0].text("doc"))
        for number in mesh.stores.indices { #expect(merged.contains("\"\(number)\":true")) }
        let sequences = try mesh.lastSequences
        mesh.loop.run(for: .seconds(600))
        #expect(try mesh.lastSequences == sequences)
        mesh.stop()
    }
}

import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// What `ConflictResolver.violations(of:in:)` finds in an application's resolver.
@Suite struct ResolverContractTests {
    /// Returns the local and the remote side alternately.
    private final class AlternatingResolver: ConflictResolverProtocol {
        private let callCount = Mutex(0)

        func resolve(conflict: Conflict) -> Document? {
            let count = callCount.withLock { count in
                count += 1
                return count
            }
            return count.isMultiple(of: 2) ? conflict.localDocument : conflict.remoteDocument
        }
    }

    /// Marks a merge with a new number each time.
    private struct NondeterministicResolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            let merged = conflict.remoteDocument?.toMutable()
            return merged?.setString(UUID().uuidString, forKey: "merge")
        }
    }

    @Test func `the default resolver satisfies the contract`() throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        #expect(ConflictResolver.violations(of: ConflictResolver.default, in: collection) == [])
        try peers.here.close()
    }

    @Test func `a resolver with different results for the same conflict is reported`() throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        let fickle = ConflictResolver.violations(of: AlternatingResolver(), in: collection)
        #expect(fickle.first?.hasPrefix("Two calls gave different results") == true)
        #expect(
            !ConflictResolver.violations(of: NondeterministicResolver(), in: collection).isEmpty
        )
        try peers.here.close()
    }
}

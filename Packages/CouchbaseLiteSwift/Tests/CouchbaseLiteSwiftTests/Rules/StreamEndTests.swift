import Foundation
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

/// Change streams that start at the very moment when their subject ends.
///
/// `@testable`: the library's own listeners are told when they end. A stream that does not end shows as a test that
/// takes too long.
@Suite(.timeLimit(.minutes(5))) struct StreamEndTests {
    @Test func `a stream created while the database is closing ends`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let begun = Mutex<(AsyncStream<CollectionChange>, AsyncStream<DocumentChange>)?>(nil)
        // Called in the middle of the close.
        let beginsStreams: @Sendable () -> Void = {
            begun.withLock { $0 = (collection.changes(), collection.documentChanges(id: "a")) }
        }
        _ = home.database.changes.listeners(of: collection)
            .addInline(ended: beginsStreams) { _ in }
        try home.database.close()
        let (changes, documents) = try #require(begun.withLock { $0 })
        for await _ in changes {}
        for await _ in documents {}
    }

    @Test func `streams created by another thread during a close or deletion end too`()
        async throws
    {
        for round in 0..<40 {
            let home = try TemporaryDatabase()
            let collection = try home.database.createCollection(name: "c")
            let ends = Task.detached {
                if round.isMultiple(of: 2) {
                    try home.database.close()
                } else {
                    try home.database.deleteCollection(name: "c")
                }
            }
            var changes = [collection.changes()]
            var documents = [collection.documentChanges(id: "a")]
            while collection.isValid {
                changes = changes.suffix(20) + [collection.changes()]
                documents = documents.suffix(20) + [collection.documentChanges(id: "a")]
            }
            try await ends.value
            for stream in changes { for await _ in stream {} }
            for stream in documents { for await _ in stream {} }
            try home.database.close()
        }
    }
}

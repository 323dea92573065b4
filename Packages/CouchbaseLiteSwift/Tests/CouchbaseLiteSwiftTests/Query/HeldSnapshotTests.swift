import DivanDatabase
import DivanRevisions
import Foundation
import Testing

// Bodies are written below the public API, which would be slower for so many bytes.
@testable import CouchbaseLiteSwift

/// Streams whose reader stops reading while much is written.
@Suite(.timeLimit(.minutes(5))) struct HeldSnapshotTests {
    private static let body = Array(#"{"f":"\#(String(repeating: "-", count: 1 << 20))"}"#.utf8)

    private func logByteCount(_ database: Database) throws -> Int {
        let path = try #require(database.path) + "db.sqlite3-wal"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.size] as? Int)
    }

    private func save(_ number: Int, in database: Database) throws {
        let id = DivanRevisions.DocumentID(unchecked: "\(number)")
        _ = try database.store.save(id, in: .default, body: Self.body)
    }

    private func stream(of rowCount: Int, _ database: Database) throws -> ResultStream {
        let collection = try database.createCollection(name: "few")
        try database.inBatch {
            for number in 0..<rowCount {
                try collection.save(document: MutableDocument(data: ["n": number]))
            }
        }
        return try database.createQuery("SELECT n FROM few ORDER BY META().id").stream()
    }

    @Test func `a slowly read stream finishes despite many writes`()
        async throws
    {
        let home = try TemporaryDatabase()
        var count = 0
        for try await _ in try stream(of: 2_000, home.database) {
            if count < 190 { try save(count, in: home.database) }
            count += 1
        }
        #expect(count == 2_000)
    }

    /// The outcome of a stream when reading finally continues.
    enum End: Sendable {
        case whole
        case failed
        case cancelled
    }

    @Test(arguments: [(1_001, End.whole), (1_002, .failed), (900, .cancelled)])
    func `a stream that is not read to the end releases its snapshot`(
        rowCount: Int,
        end: End
    )
        async throws
    {
        // In a task of its own, which can be cancelled.
        try await Task { try await hold(rowCount, end) }.value
    }

    private func hold(_ rowCount: Int, _ end: End) async throws {
        let home = try TemporaryDatabase()
        var rows = try stream(of: rowCount, home.database).makeAsyncIterator()
        #expect(try await rows.next() != nil)
        var longest = 0
        var length = 0
        for number in 0..<400 where longest == 0 || length > longest / 2 {
            try save(number, in: home.database)
            length = try logByteCount(home.database)
            longest = max(longest, length)
            await Task.yield()
        }
        #expect(length <= 64 << 20, "a log of \(longest >> 20) MiB was cut back")
        switch end {
        case .whole:
            var count = 1
            while try await rows.next() != nil { count += 1 }
            #expect(count == rowCount)
        case .failed:
            await #expect(throws: NSError.self) { while try await rows.next() != nil {} }
            #expect(try await rows.next() == nil)
        case .cancelled:
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { _ = try await rows.next() }
        }
        try home.database.close()
    }
}

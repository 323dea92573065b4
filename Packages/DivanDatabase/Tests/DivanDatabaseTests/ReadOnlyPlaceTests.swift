import CDivanDatabaseFaults
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
// The thread is internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A database that is read by somebody who may not write next to it, so that the index of a log cannot be
/// created.
@Suite(.enabled(if: CurrentProcess.effectiveUser == 0, "only root can become somebody else"))
struct ReadOnlyPlaceTests {
    private let home: TemporaryDirectory
    private var path: String { home.file("a.cblite2") }

    init() throws {
        home = try TemporaryDirectory()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs code on a thread that accesses files as a user without rights.
    private func asNobody<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let thread = JoinedThread {
            divan_access_files_as(65_534)
            outcome.result.withLock { $0 = Result { try body() } }
        }
        try #require(thread).join()
        return try #require(outcome.result.withLock { $0 }).get()
    }

    private func open() throws {
        for place in [home.path, path] { try FileSystem.setPermissions(0o755, of: place) }
        try FileSystem.setPermissions(0o644, of: path + "/db.sqlite3")
    }

    @Test func `a reader without write permission sees commits of a writer that opens later`()
        throws
    {
        let first = try Store.open(directory: path)
        _ = try first.save("one", in: .default, body: Array("{}".utf8))
        try first.close()
        try open()
        let path = path
        let reader = try asNobody {
            try Store.open(directory: path, options: StoreOptions(create: false, readOnly: true))
        }
        #expect(try asNobody { try reader.read { try $0.count(in: .default) } } == 1)

        let writer = try Store.open(directory: path)
        for number in 0..<2_000 {
            _ = try writer.save(
                DocumentID(unchecked: "\(number)"),
                in: .default,
                body: Array("{}".utf8)
            )
        }
        #expect(try asNobody { try reader.read { try $0.count(in: .default) } } == 2_001)
        try writer.close()
        #expect(try asNobody { try reader.read { try $0.count(in: .default) } } == 2_001)
        #expect(
            try asNobody { try reader.read { try $0.document("1999", in: .default) } } != nil
        )
        try reader.close()
    }
}

import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Synchronization
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A database whose directory is removed, moved or replaced while it is open.
///
/// `@testable` for a thread that is internal to the module.
@Suite struct MovedFileTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private var path: String { home.file("a.cblite2") }
    private var elsewhere: String { home.file("b.cblite2") }

    private func save(_ documentID: DocumentID, in store: Store) throws {
        try store.write { _ = try $0.save(documentID, in: .default, body: Array("{}".utf8)) }
    }

    private func makeStore(with documentID: DocumentID) throws -> Store {
        let store = try Store.open(directory: path)
        try save(documentID, in: store)
        return store
    }

    @Test(arguments: [false, true])
    func `nothing is stored in a database file that was moved or replaced`(
        _ isReplaced: Bool
    ) throws {
        let store = try makeStore(with: "one")
        try FileSystem.rename(path, to: elsewhere)
        if isReplaced {
            try Store.open(directory: home.file("c.cblite2")).close()
            try FileSystem.rename(home.file("c.cblite2"), to: path)
        }
        #expect(try refusal { _ = try store.compact() } == .io(.staleFileHandle))
        // What is written within a few milliseconds is lost like what was written just before.
        let start = ContinuousClock.now
        var code: StoreError.Code?
        repeat {
            code = try refusal { try save("two", in: store) }
        } while code == nil && ContinuousClock.now - start < .seconds(20)
        #expect(code == .io(.staleFileHandle))
        if isReplaced { try FileSystem.rename(path, to: home.file("c.cblite2")) }
        try FileSystem.rename(elsewhere, to: path)
        try save("two", in: store)
        #expect(try store.read { try $0.count(in: .default) } == 2)
        try store.close()
        let again = try Store.open(directory: path)
        #expect(try again.read { try $0.count(in: .default) } == 2)
        try again.close()
    }

    @Test func `compacting keeps the blobs of a database that replaced the open one`() throws {
        let store = try makeStore(with: "one")
        try FileSystem.rename(path, to: elsewhere)
        let other = try Store.open(directory: home.file("c.cblite2"))
        let digest = try other.blobs.write(Array("a picture".utf8))
        let body = Array(#"{"picture":{"@type":"blob","digest":"\#(digest)"}}"#.utf8)
        try other.write { _ = try $0.save("two", in: .default, body: body) }
        try other.close()
        try FileSystem.rename(home.file("c.cblite2"), to: path)
        #expect(throws: StoreError.self) { try store.compact() }
        try store.close()
        let again = try Store.open(directory: path)
        #expect(try again.blobs.reader(digest).byteCount == 9)
        try again.close()
    }

    @Test func `a second reader does not see a database that replaced the open one`() throws {
        let store = try makeStore(with: "one")
        try FileSystem.rename(path, to: elsewhere)
        try Store.open(directory: home.file("c.cblite2")).close()
        try FileSystem.rename(home.file("c.cblite2"), to: path)
        let counts = try store.read { first in
            // On a thread of its own, which needs another connection.
            let found = Mutex<Int?>(nil)
            let thread = JoinedThread {
                let count = try? store.read { try $0.count(in: .default) }
                found.withLock { $0 = count }
            }
            thread?.join()
            return (try first.count(in: .default), found.withLock { $0 })
        }
        #expect(counts.0 == 1 && (counts.1 == nil || counts.1 == 1))
        try store.close()
    }
}

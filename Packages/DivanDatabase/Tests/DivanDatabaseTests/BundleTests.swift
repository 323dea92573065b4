import DivanJSON
import DivanPlatform
import DivanQuery
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
// The lock is internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Opening, sharing, locking, copying and deleting the directory of a database.
@Suite struct BundleTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private var path: String { home.file("a.cblite2") }

    private func save(_ documentID: DocumentID, in store: Store) throws {
        try store.write { _ = try $0.save(documentID, in: .default, body: Array("{}".utf8)) }
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.count(in: .default) }
    }

    @Test func `a database directory has the expected files and keeps its contents when reopened`()
        throws
    {
        #expect(!Store.exists(directory: path))
        let store = try Store.open(directory: home.file("deep/er/a.cblite2"))
        let directory = try #require(store.directory)
        #expect(Store.exists(directory: directory))
        try save("doc", in: store)
        try store.close()
        #expect(try entries(directory) == ["Attachments", "db.sqlite3", "lock"])
        let again = try Store.open(directory: directory + "/")
        #expect(try count(again) == 1)
        #expect(again.privateUUID == store.privateUUID && again.publicUUID == store.publicUUID)
        #expect(again.previousPrivateUUID == nil)
        try again.close()
    }

    @Test(arguments: [false, true])
    func `several owners can request full sync, also read-only`(_ readOnly: Bool) throws {
        let first = try Store.open(directory: path)
        try save("doc", in: first)
        try first.close()
        let options = StoreOptions(create: false, readOnly: readOnly, fullSync: true)
        let one = try Store.open(directory: path, options: options)
        let other = try Store.open(directory: path, options: options)
        #expect(try one === other && other.ownerCount == 2 && count(other) == 1)
        try one.close()
        try other.close()
        #expect(other.ownerCount == 0)
    }

    /// How many descriptors of this process have a file open.
    private func openCount(_ path: String) throws -> Int {
        var count = 0
        for name in try entries("/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(name)"
            )
            if target == path { count += 1 }
        }
        return count
    }

    /// The result of a thread that waited for a lock.
    private final class Waiting: Sendable {
        let code = Mutex<StoreError.Code?>(nil)
        let isOver = Atomic(false)
    }

    @Test func `waiting for the lock of a database fails if the database was replaced`() throws {
        try Store.open(directory: path).close()
        let (file, directory) = (path + "/lock", path)
        var first: BundleLock? = try BundleLock(at: file, of: directory)
        let waiting = Waiting()
        let thread = JoinedThread {
            do throws(StoreError) {
                let taken = try BundleLock(at: file, of: directory)
                withExtendedLifetime(taken) {}
            } catch {
                waiting.code.withLock { $0 = error.code }
            }
            waiting.isOver.store(true, ordering: .releasing)
        }
        while try openCount(file) < 2, !waiting.isOver.load(ordering: .acquiring) {
            CurrentThread.yield()
        }
        try FileSystem.rename(directory, to: home.file("old"))
        let second = try Store.open(directory: directory)
        withExtendedLifetime(first) {}
        first = nil
        thread?.join()
        #expect(waiting.code.withLock { $0 } == .busy(.otherProcess))
        try second.close()
    }

    @Test func `opening a missing database fails and creates nothing if creation is disabled`()
        throws
    {
        let code = try refusal {
            _ = try Store.open(directory: path, options: StoreOptions(create: false))
        }
        #expect(code == .noSuchDatabase)
        let readOnly = try refusal {
            _ = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        }
        #expect(readOnly == .noSuchDatabase)
        #expect(home.names == [])
    }

    @Test func `owners in one process share a store until the last one closes it`() throws {
        let first = try Store.open(directory: path)
        try FileSystem.symbolicLink(home.file("link"), to: home.path)
        let second = try Store.open(
            directory: home.file("link/a.cblite2"),
            options: StoreOptions(fullSync: true)
        )
        #expect(first === second && first.ownerCount == 2)
        #expect(
            try refusal { try first.delete() } == .busy(.thisProcess(ownerCount: 2))
        )
        try first.close()
        try save("doc", in: second)
        try second.close()
        #expect(try refusal { try save("more", in: second) } == .notOpen)
        #expect(try refusal { _ = try count(second) } == .notOpen)
        try second.close()
    }

    @Test func `releasing the last reference closes the files`() throws {
        var store: Store? = try Store.open(directory: path)
        try save("doc", in: #require(store))
        store = nil
        let again = try Store.open(directory: path)
        #expect(try count(again) == 1)
        try again.close()
    }

    /// The lock is taken on another file description, as by another process.
    @Test func `a second process can read a database but not write it`() throws {
        try Store.open(directory: path).close()
        let descriptor = try FileDescriptor.open(path + "/lock", .readWrite)
        try descriptor.lock(waits: true)
        defer { descriptor.close() }
        #expect(try refusal { _ = try Store.open(directory: path) } == .busy(.otherProcess))
        #expect(try refusal { try Store.delete(directory: path) } == .busy(.otherProcess))

        let reader = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        #expect(reader.isReadOnly)
        #expect(try count(reader) == 0)
        #expect(try refusal { try save("doc", in: reader) } == .readOnly)
        #expect(try refusal { _ = try reader.blobs.write([1]) } == .readOnly)
        try reader.close()
    }

    /// Locks that SQLite has on the file, by which another process sees that it is in use.
    private func heldLockCount() throws -> Int {
        let status = try FileStatus(of: path + "/db.sqlite3")
        return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
            .count { line in
                let words = line.split(separator: " ")
                return words.contains("POSIX") && words.contains("\(CurrentProcess.id)")
                    && words.contains { $0.hasSuffix(":\(status.inode)") }
            }
    }

    /// Closing a file releases all locks that the process has on it, whoever took them.
    @Test func `opening a database a second time keeps its file locks`() throws {
        let writer = try Store.open(directory: path)
        defer { try? writer.close() }
        try save("doc", in: writer)
        let before = try heldLockCount()
        #expect(before > 0)
        let reader = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        #expect(try count(reader) == 1)
        #expect(try heldLockCount() >= before)
        try Store.copy(directory: path, to: home.file("copy.cblite2"))
        #expect(try heldLockCount() >= before)
        try reader.close()
        #expect(try heldLockCount() >= before)
    }

    @Test func `inspecting an open database keeps its file locks`() throws {
        let writer = try Store.open(directory: path)
        defer { try? writer.close() }
        try save("doc", in: writer)
        let before = try heldLockCount()
        let descriptors = try openCount(path + "/db.sqlite3")
        for _ in 0..<3 {
            let head = Store.head(directory: path, count: 16)
            #expect(head == Array("SQLite format 3\0".utf8))
            #expect(try heldLockCount() == before)
            try Bundle.verify(BundleFiles(directory: path))
            #expect(try heldLockCount() == before)
        }
        #expect(try openCount(path + "/db.sqlite3") <= descriptors + 1)
        #expect(Store.isOpen(directory: path) && Store.isOpen(directory: path + "/"))
        #expect(!Store.isOpen(directory: home.file("none.cblite2")))
    }

    @Test func `ending a query of a closed database keeps the locks of the reopened one`() throws {
        let first = try Store.open(directory: path)
        for number in 0..<500 { try save(DocumentID(unchecked: "\(number)"), in: first) }
        let catalogue = StoreCatalogue(first, named: "a")
        let statement = try QueryStatement(sql: "SELECT META().id FROM _")
            .checked(against: catalogue)
        let rows = try first.rows(of: StorageQuery(statement))
        _ = try rows.next()
        try first.close()
        let second = try Store.open(directory: path)
        try save("doc", in: second)
        let before = try heldLockCount()
        #expect(before > 0)
        rows.end()
        #expect(try heldLockCount() > 0)
        try second.close()
    }

    @Test func `a read-only store sees what another store commits`() throws {
        let writer = try Store.open(directory: path)
        let reader = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        #expect(reader !== writer)
        try save("doc", in: writer)
        #expect(try count(reader) == 1)
        try reader.close()
        try writer.close()
    }

    @Test func `deleting removes every file and is refused while the database is open`() throws {
        let store = try Store.open(directory: path)
        _ = try store.blobs.write([1])
        #expect(
            try refusal { try Store.delete(directory: path) } == .busy(.thisProcess(ownerCount: 1))
        )
        try store.delete()
        #expect(home.names == [])
        #expect(try refusal { try Store.delete(directory: path) } == .noSuchDatabase)
        try FileSystem.makeDirectory(path, permissions: 0o700)
        #expect(try refusal { try Store.delete(directory: path) } == .noSuchDatabase)
        #expect(home.names == ["a.cblite2"])
    }

    /// What is left of a database whose deletion was interrupted.
    private func leaveHalfDeleted() throws {
        let store = try Store.open(directory: path)
        _ = try store.blobs.write([1])
        try store.close()
        try FileSystem.rename(path, to: path + ".deleting")
        try FileSystem.removeFile(path + ".deleting/db.sqlite3")
    }

    @Test func `an interrupted deletion is finished by the next deletion or creation`() throws {
        try leaveHalfDeleted()
        #expect(!Store.exists(directory: path))
        try Store.delete(directory: path)
        #expect(home.names == [])
        #expect(try refusal { try Store.delete(directory: path) } == .noSuchDatabase)

        try leaveHalfDeleted()
        try Store.open(directory: path).close()
        #expect(home.names == ["a.cblite2"])

        // What was left of another database of its name is deleted with it.
        try FileSystem.makeDirectory(path + ".deleting", permissions: 0o700)
        try Store.delete(directory: path)
        #expect(home.names == [])
    }

    /// Otherwise a power cut may restore the old name without contents that were deleted later.
    @Test func `the files of a deleted database are removed only after its renaming is synced`()
        throws
    {
        let store = try Store.open(directory: path)
        _ = try store.blobs.write([1])
        try store.close()
        var seen: [[String]] = []
        try Store.delete(directory: path) { named in
            #expect(named.hasSuffix("/a.cblite2") && !Store.exists(directory: path))
            seen.append((try? entries(named + ".deleting")) ?? [])
        }
        #expect(seen == [["Attachments", "db.sqlite3", "lock"]])
        #expect(home.names == [])

        try leaveHalfDeleted()
        seen = []
        try Store.delete(directory: path) { seen.append((try? entries($0 + ".deleting")) ?? []) }
        #expect(seen == [["Attachments", "lock"]])
        #expect(home.names == [])
    }

    @Test func `a copy is a separate database with the same documents and blobs`() throws {
        let store = try Store.open(directory: path)
        try save("doc", in: store)
        let digest = try store.blobs.write(Array("hello".utf8))
        let target = home.file("b.cblite2")
        try Store.copy(directory: path, to: target)
        try save("later", in: store)

        let copy = try Store.open(directory: target, options: StoreOptions(create: false))
        #expect(try count(copy) == 1)
        #expect(try copy.blobs.read(digest) == Array("hello".utf8))
        #expect(copy.privateUUID != store.privateUUID && copy.publicUUID != store.publicUUID)
        #expect(copy.previousPrivateUUID == store.privateUUID)
        #expect(try refusal { try Store.copy(directory: path, to: target) } == .alreadyExists)
        #expect(store.ownerCount == 1)
        try copy.close()
        try store.close()
    }

    /// A crash during creation leaves a directory under another name.
    @Test func `creating a database discards the remains of an interrupted creation`() throws {
        try FileSystem.makeDirectory(path + ".creating", permissions: 0o700)
        try write([1, 2, 3], to: path + ".creating/db.sqlite3")
        try FileSystem.makeDirectory(path + ".creating/Attachments", permissions: 0o700)
        let store = try Store.open(directory: path)
        #expect(try count(store) == 0)
        try store.close()
        #expect(home.names == ["a.cblite2"])
    }

    @Test func `an invalid directory is reported as a system error`() throws {
        try write([], to: home.file("file"))
        let place = home.file("file/a.cblite2")
        #expect(throws: StoreError(.io(.notDirectory), at: place)) {
            _ = try Store.open(directory: place)
        }
        #expect(try refusal { _ = try Store.open(directory: "") } == .noSuchDatabase)
    }

    @Test func `a combining accent after a slash belongs to the name of the database`() throws {
        let first = try Store.open(directory: home.file("new/\u{301}a.cblite2"))
        try FileSystem.symbolicLink(home.file("link"), to: home.file("new"))
        let second = try Store.open(directory: home.file("link/\u{301}a.cblite2//"))
        #expect(first === second)
        try first.close()
        try second.close()
    }

    @Test func `a copy made while another process writes includes pending blobs`() throws {
        let store = try Store.open(directory: path)
        let digests = try [[1, 2, 3], [4, 5, 6]].map { try store.blobs.write($0) }
        let body = #"{"file":{"@type":"blob","digest":"\#(digests[0])"}}"#
        let revision = LocalRevision("doc", body: Array(body.utf8), hasBlobs: true)
        _ = try store.save(revision, in: .default)
        try store.close()
        let blobs = path + "/Attachments/"
        for digest in digests {
            let name = digest.fileName
            try FileSystem.rename(blobs + name, to: blobs + "pending_" + name)
        }
        // A blob that no document can refer to yet has not reached the disk completely.
        try FileSystem.truncate(blobs + "pending_" + digests[1].fileName, to: 2)
        let other: BundleLock? = try BundleLock(at: path + "/lock", of: path)
        try Store.copy(directory: path, to: home.file("b.cblite2"))
        withExtendedLifetime(other) {}
        let copy = try Store.open(directory: home.file("b.cblite2"))
        #expect(try copy.blobs.read(digests[0]) == [1, 2, 3])
        #expect(!copy.blobs.contains(digests[1]))
        #expect(try copy.inspect().damages == [])
        try copy.close()
    }

    @Test func `a link to a database is not treated as a database`() throws {
        try Store.open(directory: path).close()
        let link = home.file("b.cblite2")
        try FileSystem.symbolicLink(link, to: path)
        #expect(!Store.exists(directory: link))
        #expect(try refusal { try Store.delete(directory: link) } == .noSuchDatabase)
        #expect(try entries(path) == ["Attachments", "db.sqlite3", "lock"])
    }
}

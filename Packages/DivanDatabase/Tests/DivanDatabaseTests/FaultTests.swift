import CDivanDatabaseFaults
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
// Blob calls are replaced below the public API.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A medium that fails at its first write, at its second, and so on until a run is unaffected.
///
/// Whatever fails, the error names it, what was acknowledged is there, nothing is stored in part, and
/// the database can be reopened. `DIVAN_THOROUGH=1` (`make crash`) tries every call instead of a
/// sample. The suites inside extend this one, since the faulty medium supports one directory at a time.
@Suite(.serialized) struct FaultTests {
    struct Kind: CustomTestStringConvertible {
        let number: Int32
        /// Whether everything after the first failure fails, too.
        let isLasting: Bool
        let testDescription: String

        static let all = [
            Kind(number: Errno.ioError.rawValue, isLasting: false, testDescription: "EIO once"),
            Kind(
                number: Errno.ioError.rawValue,
                isLasting: true,
                testDescription: "EIO from then on"
            ),
            Kind(number: Errno.noSpace.rawValue, isLasting: false, testDescription: "ENOSPC once"),
            Kind(
                number: Errno.noSpace.rawValue,
                isLasting: true,
                testDescription: "ENOSPC from then on"
            ),
        ]
    }

    private static let isThorough =
        ProcessInfo.processInfo.environment["DIVAN_THOROUGH"] != nil

    @Test(arguments: Kind.all, [false, true])
    func `the database file survives a failure of any write`(
        _ kind: Kind,
        fullSync: Bool
    ) throws {
        try survive(kind, StoreOptions(fullSync: fullSync))
    }

    @Test(arguments: Kind.all)
    func `an encrypted database file survives a failure of any write`(_ kind: Kind) throws {
        try survive(kind, StoreOptions(sealing: try TestSealing(1)))
    }

    @Test(arguments: Kind.all)
    func `an index is complete or absent after a failure of any write`(
        _ kind: Kind
    ) throws {
        try survive(kind, StoreOptions(), FaultScript.indexing())
    }

    private func survive(
        _ kind: Kind,
        _ options: StoreOptions,
        _ steps: [ExpectedContents.Step]? = nil
    ) throws {
        try #require(divan_faults_install() == 0)
        var first: Int64 = 1
        while true {
            let home = try TemporaryDirectory()
            divan_faults_arm(home.path, first, kind.isLasting ? .max : 1, kind.number)
            let (expected, opening) = try run(home.file("a.cblite2"), steps) { path in
                try Store.open(directory: path, options: options)
            }
            let callCount = divan_faults_disarm()
            let place = "\(kind.testDescription) at call \(first) of \(callCount)"
            try check(expected, opening, home.file("a.cblite2"), kind, place, options)
            guard first <= callCount else {
                #expect(expected.errors.isEmpty && opening == nil, "\(place)")
                return
            }
            // Few calls of an encrypted database write what only the encryption needs.
            let step: ClosedRange<Int64> =
                options.sealing != nil ? 1...9 : steps == nil ? 20...60 : 4...10
            first += Self.isThorough ? 1 : Int64.random(in: step)
        }
    }

    @Test(arguments: Kind.all.prefix(2))
    func `the database file survives a failure of any read`(_ kind: Kind) throws {
        try #require(divan_faults_install() == 0)
        var first: Int64 = 1
        while true {
            let home = try TemporaryDirectory()
            divan_faults_arm_reads(home.path, first, kind.isLasting ? .max : 1, kind.number)
            let (expected, opening) = try run(home.file("a.cblite2")) { path in
                try Store.open(directory: path, options: StoreOptions())
            }
            let callCount = divan_faults_disarm()
            let place = "\(kind.testDescription) at read \(first) of \(callCount)"
            try check(expected, opening, home.file("a.cblite2"), kind, place)
            guard first <= callCount else {
                #expect(expected.errors.isEmpty && opening == nil, "\(place)")
                return
            }
            first += Self.isThorough ? 1 : Int64.random(in: 1...9)
        }
    }

    /// A document that is reported as damaged is skipped when syncing.
    @Test(arguments: [1, Int64.max])
    func `a temporary read error in a dictionary does not mark documents as damaged`(
        failing: Int64
    ) throws {
        try #require(divan_faults_install() == 0)
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        try room.pack()
        let ids = try room.store.read { try $0.documentIDs(in: .default, limit: 1) }
        let id = try #require(ids.first)
        try room.store.close()
        var first: Int64 = 1
        while true {
            let store = try PackedStoreFixture.open(room.directory)
            divan_faults_arm_reads(room.home.path, first, failing, Errno.ioError.rawValue)
            let code = try refusal { _ = try store.read { try $0.document(id, in: .default) } }
            let callCount = divan_faults_disarm()
            switch code {
            case nil, .io: break
            case let other?: throw Unexpected(outcome: "read \(first): \(other)")
            }
            #expect(try store.read { try $0.document(id, in: .default) } != nil)
            try store.close()
            guard first <= callCount else { return }
            first += 1
        }
    }

    @Test(arguments: Kind.all, [false, true])
    func `blobs survive a failure of any system call`(_ kind: Kind, fullSync: Bool) throws {
        var first = 1
        while true {
            let home = try TemporaryDirectory()
            let faulty = FaultyCalls(first: first, kind)
            let (expected, opening) = try run(home.file("a.cblite2")) { path in
                try Store.open(
                    directory: path,
                    options: StoreOptions(fullSync: fullSync),
                    calls: faulty.calls
                )
            }
            let callCount = faulty.callCount
            let place = "\(kind.testDescription) at blob call \(first) of \(callCount)"
            try check(expected, opening, home.file("a.cblite2"), kind, place)
            #expect(first <= callCount || expected.errors.isEmpty, "\(place)")
            guard first <= callCount else { return }
            first += Self.isThorough ? 1 : 9
        }
    }

    /// As if write permission on open files were revoked.
    @Test func `losing write permission while open is reported, and saved documents are kept`()
        throws
    {
        try #require(divan_faults_install() == 0)
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        let body = Array(#"{"n":1}"#.utf8)
        _ = try store.save("before", in: .default, body: body)
        divan_faults_arm(home.path, 1, .max, Errno.permissionDenied.rawValue)
        let code = try refusal { _ = try store.save("meanwhile", in: .default, body: body) }
        guard case .io = code else { throw Unexpected(outcome: "\(String(describing: code))") }
        #expect(try store.read { try $0.document("before", in: .default) }?.body == body)
        #expect(divan_faults_disarm() > 0)
        _ = try store.save("again", in: .default, body: body)
        try store.close()
        let reopened = try Store.open(directory: path)
        defer { try? reopened.close() }
        try reopened.checkIntegrity()
        _ = try reopened.save("afterwards", in: .default, body: body)
        let ids = try reopened.read { try $0.documentIDs(in: .default, limit: 9) }
        #expect(ids == ["afterwards", "again", "before"])
    }

    @Test(arguments: [false, true])
    func `a commit is synced before it is reported only with full sync`(fullSync: Bool) throws {
        try #require(divan_faults_install() == 0)
        let home = try TemporaryDirectory()
        let options = StoreOptions(fullSync: fullSync)
        let store = try Store.open(directory: home.file("a.cblite2"), options: options)
        let body = Array(#"{"n":1}"#.utf8)
        _ = try store.save("before", in: .default, body: body)
        divan_faults_arm_syncs(home.path, Errno.ioError.rawValue)
        let code = try? refusal { _ = try store.save("after", in: .default, body: body) }
        #expect((divan_faults_disarm() > 0) == fullSync)
        #expect((code != nil) == fullSync)
        try? store.close()
    }

    /// Runs every step, whatever the result of the earlier ones, and closes.
    private func run(
        _ path: String,
        _ steps: [ExpectedContents.Step]? = nil,
        open: (String) throws -> Store
    ) throws -> (ExpectedContents, opening: (any Error)?) {
        var expected = ExpectedContents()
        do {
            let store = try open(path)
            for step in try steps ?? FaultScript.steps() { expected.perform(step, on: store) }
            try store.close()
            return (expected, nil)
        } catch {
            return (expected, error)
        }
    }

    private func check(
        _ expected: ExpectedContents,
        _ opening: (any Error)?,
        _ path: String,
        _ kind: Kind,
        _ place: String,
        _ options: StoreOptions = StoreOptions()
    ) throws {
        for error in expected.errors + [opening].compactMap({ $0 }) {
            #expect(isExpected(error, kind), "\(place): \(error)")
        }
        let store = try Store.open(
            directory: path,
            options: StoreOptions(sealing: options.sealing)
        )
        defer { try? store.close() }
        let problems = try expected.problems(about: store)
        #expect(problems == [], "\(place)")
        _ = try store.save("afterwards", in: .default, body: Array("{}".utf8))
    }

    /// An error of the medium, or a consequence of a step that did not happen.
    private func isExpected(_ error: any Error, _ kind: Kind) -> Bool {
        if error is Unexpected { return true }
        guard let error = error as? StoreError else { return false }
        return switch error.code {
        // SQLite distinguishes a full disk from a broken one only when it writes, not when it syncs.
        case .io(Errno.ioError.rawValue): true
        case .diskFull: kind.number == Errno.noSpace.rawValue
        case .noSuchCollection: true
        default: false
        }
    }
}

/// The system calls, of which a single one or all from one on fail.
private final class FaultyCalls: Sendable {
    private let count = Atomic(0)
    private let first: Int
    private let kind: FaultTests.Kind

    init(first: Int, _ kind: FaultTests.Kind) {
        self.first = first
        self.kind = kind
    }

    var callCount: Int { count.load(ordering: .relaxed) }

    private func mayFail() throws(SystemError) {
        let number = count.add(1, ordering: .relaxed).newValue
        guard number == first || (kind.isLasting && number > first) else { return }
        throw SystemError("a call", Errno(kind.number))
    }

    var calls: BlobCalls {
        let system = BlobCalls.system
        return BlobCalls(
            open: { path, flags throws(SystemError) in
                try self.mayFail()
                return try system.open(path, flags)
            },
            read: system.read,
            write: { file, bytes throws(SystemError) in
                try self.mayFail()
                return try system.write(file, bytes)
            },
            changeMode: { file, mode throws(SystemError) in
                try self.mayFail()
                try system.changeMode(file, mode)
            },
            rename: { path, target throws(SystemError) in
                try self.mayFail()
                try system.rename(path, target)
            },
            sync: { _ throws(SystemError) in try self.mayFail() },
            syncAll: { _ throws(SystemError) in try self.mayFail() }
        )
    }
}

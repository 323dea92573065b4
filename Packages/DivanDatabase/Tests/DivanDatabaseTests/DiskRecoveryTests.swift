import CDivanDatabaseFaults
import DivanDatabase
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

extension FaultTests {
    /// A disk fails for a while: requests to the store fail in the meantime, and succeed afterwards
    /// without reopening it.
    @Suite struct DiskRecoveryTests {
        /// What fails for a while.
        enum Failure: CaseIterable {
            case writes, syncs, reads, room
            case writesOnce, readsOnce

            func arm(_ prefix: String) {
                switch self {
                case .writes: divan_faults_arm(prefix, 1, .max, Errno.ioError.rawValue)
                case .room: divan_faults_arm(prefix, 1, .max, Errno.noSpace.rawValue)
                case .syncs: divan_faults_arm_syncs(prefix, Errno.ioError.rawValue)
                case .reads: divan_faults_arm_reads(prefix, 1, .max, Errno.ioError.rawValue)
                case .writesOnce: divan_faults_arm(prefix, 1, 1, Errno.ioError.rawValue)
                case .readsOnce: divan_faults_arm_reads(prefix, 1, 1, Errno.ioError.rawValue)
                }
            }
        }

        private static let body = Array(#"{"n":1}"#.utf8)

        @Test(arguments: Failure.allCases, [false, true])
        func `a database works again after a temporary disk failure`(
            _ failure: Failure,
            fullSync: Bool
        ) throws {
            try works(after: failure, StoreOptions(fullSync: fullSync))
        }

        @Test(arguments: Failure.allCases)
        func `an encrypted database works again after a temporary disk failure`(
            _ failure: Failure
        ) throws {
            try works(after: failure, StoreOptions(fullSync: true, sealing: try TestSealing(1)))
        }

        private func works(after failure: Failure, _ options: StoreOptions) throws {
            try #require(divan_faults_install() == 0)
            let home = try TemporaryDirectory()
            let store = try Store.open(directory: home.file("a.cblite2"), options: options)
            var owed: Set<DocumentID> = []
            func save(_ name: String) throws {
                let id = DocumentID(unchecked: name)
                _ = try store.save(id, in: .default, body: Self.body)
                owed.insert(id)
            }
            try save("before")
            var refusalCount = 0
            failure.arm(home.path)
            for number in 0..<5 {
                do { try save("meanwhile-\(number)") } catch { refusalCount += 1 }
            }
            do { try store.compact() } catch { refusalCount += 1 }
            #expect(divan_faults_disarm() > 0)
            // A page that is in memory is not read.
            if failure != .reads, failure != .readsOnce { #expect(refusalCount > 0) }

            for number in 0..<5 { try save("afterwards-\(number)") }
            #expect(try owed.isSubset(of: ids(in: store)))
            try store.compact()
            try store.checkIntegrity()
            try store.close()
            let reopened = try Store.open(directory: home.file("a.cblite2"), options: options)
            defer { try? reopened.close() }
            try reopened.checkIntegrity()
            #expect(try owed.isSubset(of: ids(in: reopened)))
        }

        private func ids(in store: Store) throws -> Set<DocumentID> {
            Set(try store.read { try $0.documentIDs(in: .default, limit: 99) })
        }

        /// The system may have forgotten what it could not write, so nothing that was in the log before
        /// counts as synced just because a later sync succeeds.
        @Test(arguments: [false, true])
        func `after a failed sync the log is rewritten before anything else is written`(
            fullSync: Bool
        ) throws {
            try #require(divan_faults_install() == 0)
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            let store = try Store.open(directory: path, options: StoreOptions(fullSync: fullSync))
            defer { try? store.close() }
            _ = try store.save("before", in: .default, body: Self.body)
            let log = path + "/db.sqlite3-wal"
            let committedCount = try Data(contentsOf: URL(filePath: log)).count
            divan_faults_arm_syncs(home.path, Errno.ioError.rawValue)
            let code = try refusal {
                _ = try store.save("meanwhile", in: .default, body: Self.body)
                try store.compact()
            }
            guard case .io(Errno.ioError.rawValue) = code else {
                throw Unexpected(outcome: "\(String(describing: code))")
            }
            // Still in doubt: fails with the first error, before anything of it is written.
            let next = try refusal { _ = try store.save("still", in: .default, body: Self.body) }
            #expect(next == code)
            divan_faults_disarm()

            let before = Array(try Data(contentsOf: URL(filePath: log)))
            divan_faults_record(home.path)
            _ = try store.save("afterwards", in: .default, body: Self.body)
            let cut = PowerCut()
            // The disk has forgotten all of the log. What a power cut leaves of it at each moment,
            // with several fates of what is not synced:
            var generator = SeededGenerator(seed: 1)
            func remains(at moment: Int) -> [[UInt8]] {
                (0..<16).map { _ in
                    cut.remains(of: [log: []], at: moment, using: &generator).files[log] ?? []
                }
            }
            let certain = (0..<cut.count).first { moment in
                remains(at: moment).allSatisfy { $0.starts(with: before.prefix(committedCount)) }
            }
            let moment = try #require(certain, "nothing writes the log again")
            #expect(moment < cut.count - 1, "what was saved then comes behind it")
            for earlier in 0..<moment {
                // Pages of it, or nothing.
                let isOfBefore = remains(at: earlier).allSatisfy { left in
                    left.count <= before.count
                        && zip(left, before).allSatisfy { $0 == $1 || $0 == 0 }
                }
                #expect(isOfBefore)
            }
        }
    }
}

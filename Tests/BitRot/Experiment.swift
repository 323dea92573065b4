import CouchbaseLiteSwift
import DivanDatabase
import DivanDelta
import DivanLZ4
import DivanTestKit
import DivanZlib
import Foundation

/// A database in which one bit at a time is flipped and restored.
struct Experiment {
    struct Result: CustomStringConvertible {
        var seed: UInt64
        var flips = 0
        var changed = 0
        var refused = 0
        var missed: [String] = []
        var syncs = 0
        var spread: [String] = []
        var repairs = 0
        var restored = 0
        /// Those of them for which the database had to be recreated.
        var rebuilds = 0
        /// Damage that a repair leaves, and reports.
        var left: [String] = []
        /// What a repair reported as intact, but was not.
        var wrong: [String] = []

        var isSound: Bool { missed.isEmpty && spread.isEmpty && wrong.isEmpty && left.isEmpty }

        var description: String {
            let lines = [
                "bitrot: seed \(seed), \(flips) flips: \(changed) change an answer,"
                    + " \(refused) of them into an error; \(missed.count) not found by the check;"
                    + " \(syncs) damaged databases pulled, \(spread.count) changes spread;"
                    + " \(repairs) repairs from a peer: \(restored) restored"
                    + " (\(rebuilds) by rebuilding the database),"
                    + " \(left.count) left and told, \(wrong.count) wrong"
            ]
            return
                (lines + left.map { "  left: \($0)" } + wrong.map { "  wrong: \($0)" }
                + missed.map { "  not found: \($0)" } + spread.map { "  spread: \($0)" })
                .joined(separator: "\n")
        }
    }

    /// Why a trial would prove nothing, or what a repair left.
    enum Failure: Error {
        case notWholeBefore
        case left(String)
    }

    private let seed: UInt64
    private let home: TemporaryDirectory
    private let documentIDs: [String]
    private var bundle: String { home.file("whole.cblite2") }

    init(seed: UInt64, documentCount: Int) throws {
        self.seed = seed
        home = try TemporaryDirectory()
        documentIDs = (0..<documentCount).map { Content.id($0) }
        let database = try database("whole")
        try Content.fill(database, count: documentCount)
        try database.close()
        let store = try Store.open(directory: bundle)
        try store.setLocalCheckpoint("checkpoint", Array(#"{"local":7}"#.utf8))
        try store.close()
        try FileManager.default.copyItem(atPath: bundle, toPath: home.file("origin.cblite2"))
    }

    private func database(_ name: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = home.path
        return try Database(name: name, config: configuration)
    }

    func run(flips: Int, syncs: Int) async throws -> Result {
        var generator = SeededGenerator(seed: seed)
        var result = Result(seed: seed)
        let before = Answers(of: bundle, documentIDs: documentIDs)
        guard !before.hasErrors, isWhole() else { throw Failure.notWholeBefore }
        for _ in 0..<flips {
            let flip = try Flip.random(in: bundle, using: &generator)
            try flip.apply()
            let after = Answers(of: bundle, documentIDs: documentIDs)
            result.flips += 1
            if after != before {
                result.changed += 1
                if after.hasErrors { result.refused += 1 }
                if isWhole() { result.missed.append("\(flip)") }
                if result.syncs < syncs {
                    result.syncs += 1
                    if try await isSpread() { result.spread.append("\(flip)") }
                    result.repairs += 1
                    switch try repaired(&result.rebuilds) {
                    case .restored: result.restored += 1
                    case .left(let detail): result.left.append("\(flip): \(detail)")
                    case .wrong: result.wrong.append("\(flip)")
                    }
                }
            }
            try flip.apply()
        }
        if Answers(of: bundle, documentIDs: documentIDs) != before {
            result.missed.append("the database is not what it was, after every flip was undone")
        }
        return result
    }

    /// Opens a database for reading, however its old revisions are packed.
    static func open(_ directory: String) throws -> Store {
        var options = StoreOptions(create: false, readOnly: true)
        options.archive = BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
        return try Store.open(directory: directory, options: options)
    }

    /// What the check reports.
    private func isWhole() -> Bool {
        do {
            let store = try Self.open(bundle)
            defer { try? store.close() }
            return try store.inspect().damages.isEmpty
        } catch {
            return false
        }
    }

    /// Whether a peer that pulls everything receives something that was never saved.
    private func isSpread() async throws -> Bool {
        let files = FileManager.default
        let (copy, target) = (home.file("damaged.cblite2"), home.file("peer.cblite2"))
        for path in [copy, target] where files.fileExists(atPath: path) {
            try files.removeItem(atPath: path)
        }
        try files.copyItem(atPath: bundle, toPath: copy)
        guard let source = try? database("damaged") else { return false }
        defer { try? source.close() }
        let peer = try database("peer")
        defer { try? peer.close() }
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try peer.defaultCollection())],
            target: DatabaseEndpoint(database: source)
        )
        configuration.replicatorType = .pull
        configuration.maxAttempts = 1
        try? await Replicator(config: configuration).run()
        return try differs(try peer.defaultCollection())
    }

    private enum Repair {
        case restored
        case left(String)
        case wrong
    }

    /// The result of a repair from a peer that has everything.
    private func repaired(_ rebuilds: inout Int) throws -> Repair {
        let copy = home.file("damaged.cblite2")
        if FileManager.default.fileExists(atPath: copy) {
            try FileManager.default.removeItem(atPath: copy)
        }
        try FileManager.default.copyItem(atPath: bundle, toPath: copy)
        let origin = try database("origin")
        defer { try? origin.close() }
        do {
            if try !isMended(from: origin) {
                var configuration = DatabaseConfiguration()
                configuration.directory = home.path
                let rebuild = try Database.rebuild(
                    withName: "damaged",
                    withConfig: configuration
                ) { try pull(into: $0, from: origin) }
                try FileManager.default.removeItem(atPath: rebuild.damagedPath)
                rebuilds += 1
            }
            let damaged = try database("damaged")
            defer { try? damaged.close() }
            let collection = try damaged.defaultCollection()
            let isEqual =
                try collection.count == origin.defaultCollection().count
                && !differs(collection)
            return isEqual ? .restored : .wrong
        } catch {
            return .left(error.localizedDescription)
        }
    }

    /// Repairs documents and blobs; false if that is not enough, or the file cannot be opened.
    private func isMended(from origin: Database) throws -> Bool {
        guard let damaged = try? database("damaged") else { return false }
        defer { try? damaged.close() }
        let repair = try? damaged.repair(from: pull(into: damaged, from: origin))
        guard let repair, !repair.needsRebuild else { return false }
        if let first = repair.remaining.first { throw Failure.left(first) }
        return true
    }

    private func pull(
        into database: Database,
        from origin: Database
    ) throws -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try database.defaultCollection())],
            target: DatabaseEndpoint(database: origin)
        )
        configuration.maxAttempts = 1
        return configuration
    }

    private func differs(_ collection: CouchbaseLiteSwift.Collection) throws -> Bool {
        let whole = try database("origin")
        defer { try? whole.close() }
        let original = try whole.defaultCollection()
        var found: UInt64 = 0
        for id in documentIDs {
            guard let document = try collection.document(id: id) else { continue }
            found += 1
            guard let sound = try original.document(id: id), sound.toJSON() == document.toJSON(),
                sound.revisionID == document.revisionID
            else { return true }
            if let blob = document.blob(forKey: "blob"),
                blob.content != sound.blob(forKey: "blob")?.content
            {
                return true
            }
        }
        return found != collection.count
    }
}

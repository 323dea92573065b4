@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation

/// Kills processes that change the key of a database, and finds which keys open what they leave.
struct RekeyKiller {
    private static let documentCount = 300
    private static let blobCount = 12
    /// Bounds of a process's life: from before it has opened anything to some changes.
    private static let lifeMilliseconds = 1...120

    private let seed: UInt64
    private var generator: SeededGenerator
    private let home: TemporaryDirectory
    private let contents: [[UInt8]]
    private var key = KeyCycle.none
    private var killCount = 0
    private var toldCount = 0
    private var untoldCount = 0
    private var leftCount = 0
    private(set) var failures: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        home = try TemporaryDirectory()
        contents = (0..<Self.blobCount).map { number in
            let count = Int.random(in: 0...200_000, using: &generator)
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
        }
        self.generator = generator
    }

    private var path: String { home.file("rekey.cblite2") }

    mutating func run(kills: Int) throws {
        try make()
        for number in 0..<kills {
            killCount += 1
            do {
                let told = try kill()
                try inspect(since: told)
            } catch {
                failures.append("seed \(seed), kill \(number): \(error)")
                return
            }
        }
    }

    private func make() throws {
        let store = try Store.open(directory: path, options: StoreOptions(packing: .bundled))
        defer { try? store.close() }
        let digests = try contents.map { try store.blobs.write($0) }
        let packed = try Self.packed()
        try store.write { writer in
            try writer.createCollection(packed)
            for path in [.default, packed] {
                for number in 0..<Self.documentCount {
                    let digest = digests[number % digests.count]
                    let body = #"{"b":{"@type":"blob","digest":"\#(digest)"},"n":\#(number)}"#
                    _ = try writer.save(
                        DocumentID(checking: "d\(number)"),
                        in: path,
                        body: Array(body.utf8),
                        hasBlobs: true
                    )
                }
            }
            try writer.packBodies(of: packed, with: BodyPacking.Bundled.lz4.rawValue)
        }
        try store.compact()
    }

    /// The collection whose bodies are packed.
    private static func packed() throws -> CollectionPath {
        guard let path = CollectionPath("packed") else { throw CrashFailure("invalid name") }
        return path
    }

    /// Returns the last key that was reported.
    private mutating func kill() throws -> KeyCycle {
        let process = try Program.current.start(
            ["rekey-on", path, "\(key.rawValue)"],
            patience: .seconds(60)
        )
        // Two of three are killed while working, however long this machine takes to start one.
        if Int.random(in: 0..<3, using: &generator) > 0 { _ = try process.line() }
        let life = Int.random(in: Self.lifeMilliseconds, using: &generator)
        CurrentThread.sleep(milliseconds: life)
        let outcome = process.kill()
        guard outcome.isSignalled else { throw CrashFailure("the process ended with \(outcome)") }
        let told = outcome.lines.compactMap { Int($0).flatMap { KeyCycle(rawValue: $0) } }
        toldCount += told.count
        return told.last ?? key
    }

    /// Finds the one key that opens everything: the last that was reported, or the one after it.
    private mutating func inspect(since told: KeyCycle) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        if names.contains(where: { $0.contains("rekey") || $0.hasSuffix("-old") }) {
            leftCount += 1
        }
        // In random order: whoever comes first removes the leftovers.
        let opening = try KeyCycle.allCases.shuffled(using: &generator).filter { try opens($0) }
        guard opening.count == 1, let found = opening.first else {
            throw CrashFailure("told \(told), opened by \(opening)")
        }
        guard found == told || found == told.next else {
            throw CrashFailure("told \(told), found \(found)")
        }
        if found != told { untoldCount += 1 }
        key = found
    }

    private func opens(_ key: KeyCycle) throws -> Bool {
        let store: Store
        do {
            store = try Store.open(directory: path, options: try key.options())
        } catch let error as StoreError {
            guard case .notADatabase = error.code else { throw error }
            return false
        }
        defer { try? store.close() }
        try store.checkIntegrity()
        for path in [.default, try Self.packed()] { try requireDocuments(of: path, in: store) }
        let bodies = try store.read { try $0.packedBodies()[Self.packed()] }
        guard let bodies, bodies.codec != nil, bodies.packedCount == bodies.seenCount else {
            throw CrashFailure("compressed bodies are \(bodies.map { "\($0)" } ?? "none")")
        }
        for content in contents {
            guard try store.blobs.read(BlobDigest(hashing: content.span)) == content else {
                throw CrashFailure("a content of \(content.count) bytes is not what it was")
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        guard !names.contains(where: { $0.contains("rekey") || $0.hasSuffix("-old") }) else {
            throw CrashFailure("\(names) are left")
        }
        return true
    }

    private func requireDocuments(of path: CollectionPath, in store: Store) throws {
        guard try store.read({ try $0.count(in: path) }) == Self.documentCount else {
            throw CrashFailure("documents of \(path.wireName) are missing")
        }
        for number in 0..<Self.documentCount {
            let id = DocumentID(unchecked: "d\(number)")
            let body = try store.read { try $0.document(id, in: path) }?.body ?? []
            guard String(decoding: body, as: UTF8.self).hasSuffix(#""n":\#(number)}"#) else {
                throw CrashFailure("document \(number) of \(path.wireName) is not what it was")
            }
        }
    }

    /// What was done, and what went wrong.
    var summary: String {
        let outcome =
            failures.isEmpty
            ? "each time one key opened every document, compressed or not, and every blob; no other key opened any"
            : "\(failures.count) FAILED:\n" + failures.joined(separator: "\n")
        return """
            rekey: seed \(seed), \(killCount) processes killed while they changed keys
              \(toldCount) changes told, \(untoldCount) more made and not yet told; \
            \(leftCount) times something begun was left
              \(outcome)
            """
    }
}

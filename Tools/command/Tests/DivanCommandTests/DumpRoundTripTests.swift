import DivanCrypto
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Whatever a database contains is the same after a dump and its restoration.
@Suite struct DumpRoundTripTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    @Test(arguments: RevisionScheme.allCases)
    func `random databases are restored exactly, also from incremental dumps`(
        _ scheme: RevisionScheme
    ) throws {
        let seed = TestSeed.choose()
        print("DumpRoundTripTests: seed \(seed), \(scheme)")
        var world = try RandomWorld(shell.path("db.cblite2"), scheme, seed: seed)
        defer { world.close() }
        try world.change(400)
        try shell.run("dump", "db", "parts")
        for part in 0..<3 {
            try world.change(100)
            // What only concerns remotes is no change, so a partial dump does not contain it.
            if part == 2 { try world.touchAll() }
            try shell.bash("divan dump db --since parts >> parts").expectSuccess()
        }
        try shell.run("dump", "db", "whole")
        try shell.run("restore", "a", "whole")
        try shell.run("restore", "b", "parts")
        for name in ["a", "b"] {
            try shell.run("dump", name, "\(name).dump")
            #expect(
                try inside("\(name).dump") == inside("whole"),
                "seed \(seed), \(scheme), \(name)"
            )
            #expect(try shell.run("check", name).status == 0, "seed \(seed)")
        }
    }

    private func inside(_ file: String) throws -> [Substring] {
        Array(try shell.text(file).split(separator: "\n").dropFirst().dropLast())
    }
}

/// A database that is edited here and elsewhere, with all possible results.
private struct RandomWorld {
    private let here: Store
    private let elsewhere: [Store]
    private var generator: SeededGenerator
    private let paths: [CollectionPath]

    init(_ directory: String, _ scheme: RevisionScheme, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        here = try Store.open(directory: directory, options: StoreOptions(scheme: scheme))
        elsewhere = [.inMemory(scheme: scheme), .inMemory(scheme: scheme)]
        paths = [.default] + ["shop.menu", "notes"].compactMap { CollectionPath($0) }
        for store in [here] + elsewhere { for path in paths { try store.createCollection(path) } }
    }

    func close() { try? here.close() }

    mutating func change(_ count: Int) throws {
        for _ in 0..<count {
            let path = paths[pick(paths.count)]
            let id = DocumentID(unchecked: "d\(pick(25))")
            switch pick(12) {
            case 0...3: try edit(here, id, path)
            case 4...5: try edit(elsewhere[pick(2)], id, path)
            case 6...7: try pull(id, path, from: pick(2))
            case 8: try push(id, path, to: pick(2))
            case 9: try purge(id, path)
            case 10: try expire(id, path)
            default: try edit(here, id, path, deletes: true)
            }
        }
    }

    /// Changes every document.
    mutating func touchAll() throws {
        for path in paths {
            for number in 0..<25 {
                let id = DocumentID(unchecked: "d\(number)")
                let isThere = try here.read {
                    try $0.document(id, in: path, includingTombstones: true) != nil
                }
                if isThere { try edit(here, id, path) }
            }
        }
    }

    private func purge(_ id: DocumentID, _ path: CollectionPath) throws {
        _ = try here.write { try $0.purge(id, in: path) }
    }

    private mutating func expire(_ id: DocumentID, _ path: CollectionPath) throws {
        let time: Int64? = pick(3) == 0 ? nil : 4_102_444_800_000 + Int64(pick(5))
        try here.write { writer in
            guard try writer.document(id, in: path) != nil else { return }
            try writer.setExpiration(time, of: id, in: path)
        }
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func edit(
        _ store: Store,
        _ id: DocumentID,
        _ path: CollectionPath,
        deletes: Bool = false
    ) throws {
        let current = try store.read {
            try $0.document(id, in: path, includingTombstones: true)
        }
        if deletes, current.map(\.isTombstone) ?? true { return }
        var body = #"{"n":\#(pick(1_000)),"text":"\#(String(repeating: "xy", count: pick(200)))""#
        var hasBlobs = false
        if !deletes, pick(4) == 0 {
            let content = Array("content \(pick(40))".utf8)
            let digest = try store.blobs.write(content)
            body += #","b":{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}"#
            hasBlobs = true
        }
        var revision = LocalRevision(
            id,
            body: Array((deletes ? "{}" : body + "}").utf8),
            hasBlobs: hasBlobs
        )
        revision.isTombstone = deletes
        _ = try store.save(revision, in: path)
    }

    /// Takes what another database has, like a replicator.
    private mutating func pull(_ id: DocumentID, _ path: CollectionPath, from place: Int) throws {
        let source = elsewhere[place]
        guard let revision = try Self.current(id, path, of: source) else { return }
        var received = revision
        received.remote = try here.remoteID(for: "wss://peer\(place).example/db")
        // White space and member order of a body stay as a peer sent them.
        if pick(3) == 0, received.body.count > 2 {
            received.body = Array("{ ".utf8) + received.body.dropFirst()
        }
        try Self.copyBlobs(of: received, from: source, to: here)
        _ = try here.write { try $0.insert(received, in: path) }
    }

    private mutating func push(_ id: DocumentID, _ path: CollectionPath, to place: Int) throws {
        guard var revision = try Self.current(id, path, of: here) else { return }
        revision.refusesConflicts = true
        let remote = try here.remoteID(for: "wss://peer\(place).example/db")
        try Self.copyBlobs(of: revision, from: here, to: elsewhere[place])
        let target = elsewhere[place]
        let isTaken = (try? target.write { try $0.insert(revision, in: path) }) != nil
        guard isTaken else { return }
        try here.write { writer in
            try writer.markKnown(id, revision.revisionID, at: remote, in: path)
        }
    }

    private static func current(
        _ id: DocumentID,
        _ path: CollectionPath,
        of store: Store
    ) throws -> RemoteRevision? {
        try store.read { reader in
            let document = try reader.document(id, in: path, includingTombstones: true)
            guard let document, let history = try reader.revisions(of: id, in: path) else {
                return nil
            }
            let ancestry = history.ancestry(
                of: document.revisionID,
                limit: RevisionLimits.depth,
                until: [],
                random: SystemRandomSource()
            )
            return RemoteRevision(
                documentID: id,
                revisionID: document.revisionID,
                history: ancestry.ids,
                mergeCount: ancestry.mergeCount,
                isTombstone: document.isTombstone,
                body: document.body,
                hasBlobs: document.flags.contains(.hasBlobs)
            )
        }
    }

    private static func copyBlobs(
        of revision: RemoteRevision,
        from source: Store,
        to target: Store
    ) throws {
        for digest in try BlobReferences.digests(in: revision.body)
        where source.blobs.contains(digest) {
            _ = try target.blobs.write(try source.blobs.read(digest))
        }
    }
}

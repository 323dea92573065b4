import DivanDelta
import DivanLZ4
import DivanRevisions
import DivanTestKit
import DivanZlib
import Testing

@testable import DivanDatabase
// The columns of a row and the version of a file are not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Bodies of revisions that are not current: stored in few bytes, returned unchanged.
@Suite struct ArchiveTests {
    /// Deltas alone, deltas and deflate, deltas and LZ4; each reads what the others pack.
    private static var archives: [BodyArchive] {
        [nil, .deflate, .lz4].map {
            BodyArchive(packing: $0, deflate: DeflateCodec(), lz4: LZ4Codec())
        }
    }

    /// Some 1,200 bytes as a peer sends them, with spaces that must not be removed.
    private static func body(_ number: Int, spaced: Bool = false) -> String {
        let words = (0..<60).map { "word\(($0 * 7_919) % 1_009)" }.joined(separator: " ")
        let space = spaced ? " " : ""
        return #"{"number":\#(number),\#(space)"text":"\#(words)"}"#
    }

    /// A document whose first revision a remote has, edited twice here.
    private func edit(_ room: StoreFixture, spaced: Bool) throws {
        try room.insert("doc", "1-aa", body: Self.body(1, spaced: spaced))
        try room.save("doc", Self.body(2))
        try room.save("doc", Self.body(3))
    }

    /// Stores the first revision as a remote sends it.
    private static func receiveFirst(_ writer: StoreWriter) throws {
        let received = RemoteRevision(
            documentID: "doc",
            revisionID: try revision("1-aa"),
            body: Array(body(1, spaced: true).utf8),
            remote: RemoteID(rawValue: 1)
        )
        _ = try writer.insert(received, in: .default)
    }

    private func oldBody(_ store: Store) throws -> String? {
        let old = try revision("1-aa")
        let found = try store.read { try $0.revision("doc", old, in: .default) }
        return found.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test(arguments: EngineKind.allCases, [false, true])
    func `an old body is returned byte for byte`(_ kind: EngineKind, _ isSpaced: Bool) throws {
        for archive in Self.archives {
            let room = try StoreFixture(kind, archive: archive)
            try edit(room, spaced: isSpaced)
            #expect(try oldBody(room.store) == Self.body(1, spaced: isSpaced))
            let current = try #require(try room.document("doc"))
            #expect(current.text == Self.body(3))
            try room.store.checkIntegrity()
        }
    }

    /// Recording what a remote has reads no body, so packed ones must stay as they are.
    @Test(arguments: EngineKind.allCases)
    func `recording what a remote has does not change old bodies`(_ kind: EngineKind) throws {
        for archive in Self.archives {
            let room = try StoreFixture(kind, archive: archive)
            try edit(room, spaced: false)
            let current = try #require(try room.document("doc")).revisionID
            try room.store.write { writer in
                let remote = RemoteID(rawValue: 2)
                try writer.markKnown("doc", current, at: remote, in: .default)
            }
            #expect(try oldBody(room.store) == Self.body(1))
            try room.save("doc", Self.body(4))
            let second = try room.store.read { try $0.revision("doc", current, in: .default) }
            #expect(second?.body == Array(Self.body(3).utf8))
            #expect(try oldBody(room.store) == Self.body(1))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `both sides of a conflict keep their bodies`(_ kind: EngineKind) throws {
        for archive in Self.archives {
            let room = try StoreFixture(kind, archive: archive)
            try edit(room, spaced: false)
            try room.insert("doc", "2-bb", history: ["1-aa"], body: Self.body(9, spaced: true))
            let conflict = try #require(
                try room.store.read { try $0.conflict(of: "doc", in: .default) }
            )
            #expect(conflict.local.body == Array(Self.body(3).utf8))
            #expect(conflict.remote.body == Array(Self.body(9, spaced: true).utf8))
            #expect(conflict.base?.body == Array(Self.body(1).utf8))
        }
    }

    @Test func `old bodies take little space, and less with a codec`() throws {
        let sizes = try Self.archives.map { archive in
            let engine = MemoryEngine()
            let store = try Store(engine: engine, archive: archive)
            try store.write { writer in
                try Self.receiveFirst(writer)
                let changed = Array(Self.body(2).utf8)
                _ = try writer.save("doc", in: .default, body: changed)
            }
            let row = try engine.read { snapshot in
                let id = try #require(try snapshot.collection(.default))
                return try #require(try snapshot.row("doc", in: id, content: .whole))
            }
            guard case .encoded(let bytes) = row.tree else { return 0 }
            return bytes.count
        }
        let plain = Self.body(1, spaced: true).utf8.count
        #expect(sizes[0] > plain && sizes[1] < plain * 3 / 4 && sizes[2] < plain * 3 / 4)
    }

    @Test func `a database is readable regardless of the codec that wrote it`() throws {
        let home = try TemporaryDirectory()
        for (writing, writer) in Self.archives.enumerated() {
            let path = home.file("\(writing).cblite2")
            for (reading, reader) in ([writer] + Self.archives).enumerated() {
                let options = StoreOptions(archive: reader)
                let store = try Store.open(directory: path, options: options)
                defer { try? store.close() }
                if reading == 0 {
                    try store.write { writer in
                        try Self.receiveFirst(writer)
                    }
                }
                // Each repacks it beside a new current body.
                let body = Array(Self.body(reading + 2).utf8)
                try store.write { _ = try $0.save("doc", in: .default, body: body) }
                #expect(try oldBody(store) == Self.body(1, spaced: true))
            }
        }
    }

    @Test func `a missing codec is reported, and the current document stays readable`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let packing = try Store.open(
            directory: path,
            options: StoreOptions(archive: Self.archives[2])
        )
        try packing.write { writer in
            try Self.receiveFirst(writer)
            let changed = Array(Self.body(2).utf8)
            _ = try writer.save("doc", in: .default, body: changed)
        }
        try packing.close()
        let plain = try Store.open(directory: path)
        defer { try? plain.close() }
        let document = try plain.read { try $0.document("doc", in: .default) }
        #expect(document?.text == Self.body(2))
        #expect(try refusal { _ = try oldBody(plain) } == .unknownCodec(number: 2))
    }
}

import DivanCompression
import DivanLZ4
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// How a body is stored in its row is not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A database whose default collection may be packed, with access to its file.
final class PackedStoreFixture {
    static let lz4 = BodyPacking.Bundled.lz4.rawValue
    static let packing = BodyPacking([.init(lz4, LZ4DictionaryCodec())])

    let home: TemporaryDirectory
    private(set) var store: Store
    private let sealing: TestSealing?

    init(isSealed: Bool = false) throws {
        home = try TemporaryDirectory()
        sealing = isSealed ? try TestSealing(1) : nil
        store = try Self.open(home.file("a.cblite2"), sealing)
    }

    deinit { try? store.close() }

    var directory: String { home.file("a.cblite2") }
    var options: StoreOptions { StoreOptions(sealing: sealing, packing: Self.packing) }

    static func open(_ directory: String, _ sealing: TestSealing? = nil) throws -> Store {
        try Store.open(
            directory: directory,
            options: StoreOptions(sealing: sealing, packing: packing)
        )
    }

    func reopen() throws {
        try store.close()
        store = try Self.open(directory, sealing)
    }

    /// Rebuilds the database, which is closed, from what can be read.
    func rebuild(packing: BodyPacking = PackedStoreFixture.packing) throws -> Salvage {
        try Store.rebuild(
            directory: directory,
            by: home.file("new.cblite2"),
            keepingOldAt: { [home] in home.file("old-\($0).cblite2") },
            options: StoreOptions(sealing: sealing, packing: packing),
            completing: { _ in }
        )
    }

    func pack(_ codec: UInt8? = PackedStoreFixture.lz4) throws {
        try store.write { try $0.packBodies(of: .default, with: codec) }
    }

    func save(_ bodies: [String: [UInt8]]) throws {
        try store.write { writer in
            for (id, body) in bodies.sorted(by: { $0.key < $1.key }) {
                _ = try writer.save(DocumentID(checking: id), in: .default, body: body)
            }
        }
    }

    func body(_ id: String) throws -> [UInt8]? {
        try store.read { try $0.document(DocumentID(checking: id), in: .default)?.body }
    }

    func bodies() throws -> [String: [UInt8]] {
        try store.read { reader in
            var found: [String: [UInt8]] = [:]
            for id in try reader.documentIDs(in: .default, after: nil, limit: .max) {
                found[id.text] = try reader.document(id, in: .default)?.body
            }
            return found
        }
    }

    /// Another connection to the file, which need not be fast.
    func look() throws -> StoreConnection {
        let place = DatabaseFileLocation(
            directory + "/db.sqlite3",
            sealing: sealing,
            packing: Self.packing
        )
        return try StoreConnection(place, mode: .readWrite)
    }

    /// How many bodies are packed.
    func packedCount() throws -> Int {
        Int(try look().integer("SELECT count(*) FROM docs_1 WHERE typeof(body) = 'blob'") ?? 0)
    }

    func dictionaries() throws -> [String] {
        let look = try look()
        // The table is created with the first one.
        let tables = try look.texts("SELECT name FROM sqlite_schema WHERE name = 'dictionaries'")
        guard !tables.isEmpty else { return [] }
        return try look.texts("SELECT CAST(number AS TEXT) FROM dictionaries ORDER BY number")
    }

    /// Bodies of flights, some 600 bytes each, that repeat each other's keys.
    static func routes(_ numbers: Range<Int>, seed: UInt64 = 1) -> [String: [UInt8]] {
        var dice = Dice(seed: seed &+ UInt64(numbers.lowerBound))
        var bodies: [String: [UInt8]] = [:]
        for number in numbers {
            let stops = (0..<8).map { day in
                #"{"day":\#(day),"flight":"DV\#(dice.number(in: 100...999))","utc":"#
                    + #""\#(dice.number(in: 10...23)):\#(dice.number(in: 10...59)):00"}"#
            }
            let body =
                #"{"airline":"Divan Air","city":"\#(dice.pick(["Zürich", "Oslo", "東京"]))","#
                + #""distance":\#(dice.number(in: 100...9_999)),"number":\#(number),"#
                + #""schedule":[\#(stops.joined(separator: ","))],"type":"route"}"#
            bodies["route-\(number)"] = Array(body.utf8)
        }
        return bodies
    }
}

@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Foundation

/// Whatever a file contains in the place of a packed body or of its dictionary, that document is unchanged
/// or is reported as damaged, queries end with rows of bounded length or an error, and every other document
/// is unchanged, even after a compaction that repacks.
///
/// A dictionary is stored twice: if one of the two is changed, no document is damaged.
/// The row's checksum protects a document that is read, so it is queries that see the changed bytes.
enum PackedDatabases: FuzzTarget {
    static let name = "packed-databases"
    /// More than the packed bytes of a row can claim, with each byte escaped.
    private static let longestByteCount = 16 << 20

    static func violation(of input: [UInt8]) -> String? {
        do {
            let honest = try UndamagedSample.shared.get()
            var reader = InputReader(input)
            let choice = reader.byte()
            let (places, damage) = target(choice, honest)
            let offset = reader.count() % UndamagedSample.changedByteCount
            let changed = reader.bytes(UndamagedSample.changedByteCount - offset)
            var file = honest.file
            for place in places.map({ $0 + offset }) {
                file.replaceSubrange(place..<place + changed.count, with: changed)
            }
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            try writeBundle(file, at: path)
            return try verdict(path, file == honest.file ? .none : damage, choice)
        } catch {
            return "\(error)"
        }
    }

    /// Where bytes are changed, and what that may damage.
    private static func target(_ choice: UInt8, _ honest: UndamagedSample) -> ([Int], Damage) {
        guard choice & 1 == 1 else { return ([honest.body], .one) }
        guard choice & 8 == 8 else { return (honest.dictionaries, .all) }
        return ([honest.dictionaries[choice & 16 == 16 ? 1 : 0]], .none)
    }

    /// The documents that may be reported as damaged.
    private enum Damage {
        case none
        case one
        case all
    }

    private static func verdict(
        _ path: String,
        _ damage: Damage,
        _ choice: UInt8
    ) throws -> String? {
        let store = try Store.open(
            directory: path,
            options: StoreOptions(create: false, packing: .bundled)
        )
        defer { try? store.close() }
        if let flaw = try queryFlaw(store) ?? documentFlaw(store, damage) { return flaw }
        guard choice & 2 == 2 else { return nil }
        let codec = choice & 4 == 4 ? nil : BodyPacking.Bundled.lz4.rawValue
        try store.write { try $0.packBodies(of: .default, with: codec) }
        try store.compact()
        return try documentFlaw(store, damage)
    }

    private static func documentFlaw(_ store: Store, _ damage: Damage) throws -> String? {
        for number in 0..<UndamagedSample.documentCount {
            do {
                let id = UndamagedSample.id(number)
                let body = try store.read { try $0.document(id, in: .default)?.body }
                if body != UndamagedSample.body(number) {
                    return "document \(number) comes back changed"
                }
            } catch let error as StoreError {
                let mayBe =
                    damage == .all || damage == .one && number == UndamagedSample.changedNumber
                guard mayBe, case .damagedDocument = error.code else {
                    return "document \(number): \(error)"
                }
            }
        }
        return nil
    }

    private static func queryFlaw(_ store: Store) throws -> String? {
        for text in ["SELECT SUM(number), MAX(city), MAX(filler) FROM _", "SELECT * FROM _"] {
            do {
                let catalogue = StoreCatalogue(store, named: "db")
                let statement = try QueryStatement(sql: text).checked(against: catalogue)
                let rows = try store.rows(of: StorageQuery(statement))
                while let row = try rows.next() {
                    let longest = row.map(length).max() ?? 0
                    if longest > longestByteCount { return "a value of \(longest) bytes" }
                }
            } catch let error as StoreError {
                if error.description.isEmpty { return "an error without a word" }
            } catch let error as QueryError {
                if error.description.isEmpty { return "an error without a word" }
            }
        }
        return nil
    }

    private static func length(_ value: QueryValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .container(let text), .binary(let text): text.count
        case .missing, .null, .boolean, .integer, .double: 0
        }
    }

    static func seeds() throws -> [[UInt8]] {
        _ = try UndamagedSample.shared.get()
        let lengths: [[UInt8]] = [[], [0], [255], [255, 255, 255, 127], [1, 4], [129, 128, 0]]
        let changes =
            lengths.map { [2, 0] + $0 } + [[0, 0, 4, 9], [0, 0, 123], [40, 1, 7], [3, 0, 250]]
        return (0..<32).flatMap { choice in changes.map { [choice] + $0 } }
    }
}

/// A database of packed bodies, and the offsets in its file of two values whose bytes are changed.
private struct UndamagedSample {
    static let documentCount = 80
    static let changedNumber = 79
    /// Bytes that may be changed; the values are longer, and contiguous.
    static let changedByteCount = 500

    let file: [UInt8]
    /// Where the body of the last document begins.
    let body: Int
    /// Where the dictionary begins, both times.
    let dictionaries: [Int]

    static let shared = Swift.Result { try UndamagedSample() }

    static func id(_ number: Int) -> DivanRevisions.DocumentID {
        DocumentID(unchecked: "d\(number)")
    }

    static func body(_ number: Int) -> [UInt8] {
        guard number == changedNumber else { return routes(number..<number + 1)[0] }
        // Data that no dictionary reduces to less than half.
        var random = SeededGenerator(seed: 7)
        let filler = (0..<1_500).map { _ in UInt8.random(in: 97...122, using: &random) }
        let head = Array(#"{"city":"Ulm","filler":""#.utf8)
        let tail = Array(#"","number":79,"text":"\#(String(repeating: "so ", count: 400))"}"#.utf8)
        return head + filler + tail
    }

    private init() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path, options: StoreOptions(packing: .bundled))
        try Self.save(0..<Self.changedNumber, in: store)
        try store.write {
            try $0.packBodies(of: .default, with: BodyPacking.Bundled.lz4.rawValue)
        }
        try store.compact()
        // The dictionary is complete; this one is not in it.
        try Self.save(Self.changedNumber..<Self.documentCount, in: store)
        try store.close()
        file = [UInt8](try Data(contentsOf: URL(filePath: path + "/db.sqlite3")))
        // The beginning of the package's `PackedBody` and `StoredDictionary`.
        let count = Self.body(Self.changedNumber).count
        let head = [4, 1, UInt8(count & 127 | 128), UInt8(count >> 7)]
        body = try Self.places(of: head, in: file, count: 1)[0]
        let start = [2, 1] + Self.body(0).prefix(40)
        dictionaries = try Self.places(of: start, in: file, count: 2)
    }

    private static func save(_ numbers: Range<Int>, in store: Store) throws {
        try store.write { writer in
            for number in numbers {
                _ = try writer.save(id(number), in: .default, body: body(number))
            }
        }
    }

    private struct Unexpected: Error {
        let count: Int
    }

    private static func places(
        of bytes: [UInt8],
        in file: [UInt8],
        count: Int
    ) throws -> [Int] {
        let data = Data(file)
        var places: [Int] = []
        while let found = data.range(of: Data(bytes), in: (places.last ?? -1) + 1..<data.count) {
            places.append(found.lowerBound)
        }
        guard places.count == count else { throw Unexpected(count: places.count) }
        return places
    }
}

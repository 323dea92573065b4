import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import Foundation

/// Work done identically with a store of another kind and with the plain one that is its floor.
enum PairedStores {
    static let documentCount = 50_000
    static let readCount = 50_000

    /// Which one goes first alternates from turn to turn; `false` is the plain one.
    static func order(of turn: Int) -> [Bool] {
        turn.isMultiple(of: 2) ? [false, true] : [true, false]
    }

    static func fill(_ store: Store, _ bodies: [[UInt8]]) throws {
        for start in stride(from: 0, to: documentCount, by: 1_000) {
            try store.write { writer in
                for number in start..<start + 1_000 {
                    _ = try writer.save(
                        DivanRevisions.DocumentID(unchecked: "d-\(number)"),
                        in: .default,
                        body: bodies[number % bodies.count]
                    )
                }
            }
        }
    }

    static func read(_ store: Store) throws {
        var generator = Xorshift()
        try store.read { reader in
            for _ in 0..<readCount {
                // Two thousand of them: what fits into a cache.
                let number = Int(generator.next() % 2_000)
                let id = DivanRevisions.DocumentID(unchecked: "d-\(number)")
                guard try reader.document(id, in: .default) != nil else {
                    throw BenchFailure("document \(id) is missing")
                }
            }
        }
    }

    /// The file size of a closed store in bytes.
    static func byteCount(_ path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/db.sqlite3")
        return (attributes[.size] as? NSNumber)?.doubleValue ?? 0
    }

    /// Pulls from a plain database into empty ones, which `target` creates with a name and of a kind.
    static func pull(
        _ workplace: BenchContext,
        _ bodies: [[UInt8]],
        turns count: Int,
        into target: (String, Bool, DatabaseConfiguration) throws -> Database
    ) throws -> Turns {
        var config = DatabaseConfiguration()
        config.directory = try workplace.newDirectory()
        let store = try Store.open(directory: config.directory + "/source.cblite2")
        defer { try? store.close() }
        try fill(store, bodies)
        let source = try Database(name: "source", config: config)
        defer { try? source.close() }
        var turns = Turns()
        for turn in 0..<count {
            var seconds: [Bool: Double] = [:]
            for kind in order(of: turn) {
                let target = try target("target-\(turn)-\(kind)", kind, config)
                seconds[kind] = try SyncOnce.pullSeconds(from: source, into: target)
            }
            if let ours = seconds[true], let floor = seconds[false] {
                turns.add(ours: ours, floor: floor)
            }
        }
        return turns
    }
}

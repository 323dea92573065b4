import CDivanFloors
import DivanDatabase
import Foundation

/// A blob of an encrypted database, and the same of a plain one, which takes its turn before it.
///
/// A plain read in pieces from the system's cache is one copy into memory that stays in the
/// processor's cache, some ten times as fast as AES; so that row is also compared with OpenSSL's time.
struct SealedBlobFigures {
    static let byteCount = 64 << 20

    private static let readTurns = 3

    private let directory: String
    private var save = Turns()
    private var fromDisk = Turns()
    private var whole = Turns()
    private var pieces = Turns()
    private var bare = Turns()

    /// A database with a blob, and the file that contains it.
    private struct Place {
        let store: Store
        let digest: BlobDigest
        let file: String
        let saving: Double
    }

    init(_ directory: String) {
        self.directory = directory
    }

    mutating func measure(turn: Int, _ sealing: any StoreSealing) throws {
        let name = "\(directory)/sealed-blob-\(turn)"
        let isFirst = turn.isMultiple(of: 2)
        let early = try Self.place("\(name)-first.cblite2", isFirst ? nil : sealing)
        let late = try Self.place("\(name)-second.cblite2", isFirst ? sealing : nil)
        let (plain, sealed) = isFirst ? (early, late) : (late, early)
        defer {
            try? plain.store.close()
            try? sealed.store.close()
        }
        save.add(ours: sealed.saving, floor: plain.saving)
        for _ in 0..<Self.readTurns {
            for place in [plain, sealed] where floor_evict(place.file) != 0 {
                throw BenchFailure("the system's cache keeps the blob")
            }
            fromDisk.add(try Self.both(early, late, isFirst) { try Self.read($0.digest, $0.store) })
            pieces.add(try Self.both(early, late, isFirst) { try Self.read($0.digest, $0.store) })
            whole.add(
                try Self.both(early, late, isFirst) {
                    guard try $0.store.blobs.read($0.digest).count == Self.byteCount else {
                        throw BenchFailure("the blob is truncated")
                    }
                }
            )
            let opening = floor_sealed_read("\(name).floor", Self.byteCount)
            guard opening > 0, let ours = pieces.latest else {
                throw BenchFailure("the floor of a sealed content failed")
            }
            bare.add(ours: ours, floor: opening)
        }
    }

    /// The times with the encrypted database and with the plain one, which goes first in every other
    /// turn.
    private static func both(
        _ first: Place,
        _ second: Place,
        _ plainIsFirst: Bool,
        _ work: (Place) throws -> Void
    ) rethrows -> (ours: Double, floor: Double) {
        let before = try Stopwatch.best(of: 1) { try work(first) }
        let after = try Stopwatch.best(of: 1) { try work(second) }
        return plainIsFirst ? (after, before) : (before, after)
    }

    private static func place(_ path: String, _ sealing: (any StoreSealing)?) throws -> Place {
        let store = try Store.open(directory: path, options: StoreOptions(sealing: sealing))
        var digest = BlobDigest(hashing: [UInt8]().span)
        let saving = try Stopwatch.best(of: 1) { digest = try write(store) }
        return Place(
            store: store,
            digest: digest,
            file: "\(path)/Attachments/\(digest.fileName)",
            saving: saving
        )
    }

    func add(to report: inout Report) {
        let asPlain = "the same, not sealed"
        for (name, turns, floorName) in [
            ("save", save, asPlain),
            ("read from the disk", fromDisk, asPlain),
            ("read whole", whole, asPlain),
            ("read in pieces", bare, "OpenSSL opens as much out of the cache"),
            ("read in pieces, beside a plain one", pieces, asPlain),
        ] {
            report.add(
                Figure(
                    name: "sealed: blob 64 MiB, \(name)",
                    unit: "MB/s",
                    ours: Double(Self.byteCount) / 1e6 / turns.middle.ours,
                    floor: Double(Self.byteCount) / 1e6 / turns.middle.floor,
                    floorName: floorName
                )
            )
        }
    }

    /// Stores a blob that arrives in pieces, and syncs it to the disk.
    static func write(_ store: Store) throws -> BlobDigest {
        let writer = try store.blobs.writer()
        let piece = (0..<(128 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<(byteCount / piece.count) { try writer.append(piece) }
        let digest = try writer.finish()
        try store.blobs.settle()
        return digest
    }

    /// Reads a blob in pieces.
    static func read(_ digest: BlobDigest, _ store: Store) throws {
        let reader = try store.blobs.reader(digest)
        var count = 0
        while case let piece = try reader.read(upTo: 128 << 10), !piece.isEmpty {
            count += piece.count
        }
        guard count == byteCount else { throw BenchFailure("the blob is truncated") }
    }
}

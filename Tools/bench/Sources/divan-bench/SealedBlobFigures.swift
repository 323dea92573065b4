import CDivanFloors
import DivanStore
import Foundation

/// A blob of a sealed database beside the same of a plain one, which takes its turn before it.
///
/// A plain read in pieces out of the system's cache is one copy into memory that stays in the
/// processor's, some ten times as fast as AES is; that row stands beside what OpenSSL needs, too.
struct SealedBlobFigures {
    static let byteCount = 64 << 20

    private let directory: String
    private var plain = Times()
    private var sealed = Times()
    private var bare = Double.infinity

    /// Seconds.
    private struct Times {
        var save = Double.infinity
        var readFromDisk = Double.infinity
        var readWhole = Double.infinity
        var readPieces = Double.infinity
    }

    init(_ directory: String) {
        self.directory = directory
    }

    mutating func measure(turn: Int, _ sealing: any StoreSealing) throws {
        let place = "\(directory)/sealed-blob-\(turn)"
        try Self.measure("\(place)-plain.cblite2", nil, &plain)
        try Self.measure("\(place)-sealed.cblite2", sealing, &sealed)
        let opening = floor_sealed_read("\(place).floor", Self.byteCount)
        guard opening > 0 else { throw BenchFailure("the floor of a sealed content failed") }
        bare = min(bare, opening)
    }

    private static func measure(
        _ path: String,
        _ sealing: (any StoreSealing)?,
        _ times: inout Times
    ) throws {
        let store = try Store.open(directory: path, options: StoreOptions(sealing: sealing))
        defer { try? store.close() }
        var digest = BlobDigest(hashing: [UInt8]().span)
        times.save = min(times.save, try Stopwatch.best(of: 1) { digest = try write(store) })
        guard
            let file = FileManager.default.enumerator(atPath: path)?
                .compactMap({ $0 as? String }).first(where: { $0.hasSuffix(".blob") })
        else { throw BenchFailure("the blob has no file") }
        guard floor_evict("\(path)/\(file)") == 0 else {
            throw BenchFailure("the system's cache keeps the blob")
        }
        times.readFromDisk = min(
            times.readFromDisk,
            try Stopwatch.best(of: 1) { try read(digest, store) }
        )
        times.readPieces = min(
            times.readPieces,
            try Stopwatch.best(of: 1) { try read(digest, store) }
        )
        times.readWhole = min(
            times.readWhole,
            try Stopwatch.best(of: 1) {
                guard try store.blobs.read(digest).count == byteCount else {
                    throw BenchFailure("the blob is cut short")
                }
            }
        )
    }

    func add(to report: inout Report) {
        let asPlain = "the same, not sealed"
        for (name, ours, floor, floorName) in [
            ("save", sealed.save, plain.save, asPlain),
            ("read from the disk", sealed.readFromDisk, plain.readFromDisk, asPlain),
            ("read whole", sealed.readWhole, plain.readWhole, asPlain),
            ("read in pieces", sealed.readPieces, bare, "OpenSSL opens as much out of the cache"),
            ("read in pieces, beside a plain one", sealed.readPieces, plain.readPieces, asPlain),
        ] {
            report.add(
                Figure(
                    name: "sealed: blob 64 MiB, \(name)",
                    unit: "MB/s",
                    ours: Double(Self.byteCount) / 1e6 / ours,
                    floor: Double(Self.byteCount) / 1e6 / floor,
                    floorName: floorName
                )
            )
        }
    }

    /// Stores a content that arrives in pieces, and brings it to the disk.
    static func write(_ store: Store) throws -> BlobDigest {
        let writer = try store.blobs.writer()
        let piece = (0..<(128 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<(byteCount / piece.count) { try writer.append(piece.span) }
        let digest = try writer.finish()
        try store.blobs.settle()
        return digest
    }

    /// Reads a content in pieces.
    static func read(_ digest: BlobDigest, _ store: Store) throws {
        let reader = try store.blobs.reader(digest)
        var count = 0
        while case let piece = try reader.read(upTo: 128 << 10), !piece.isEmpty {
            count += piece.count
        }
        guard count == byteCount else { throw BenchFailure("the blob is cut short") }
    }
}

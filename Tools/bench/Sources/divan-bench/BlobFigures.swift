import CDivanFloors
import DivanDatabase
import DivanRevisions
import Foundation

/// A blob of 100 MB in and out, and many small ones.
enum BlobFigures {
    private static let pieceByteCount = 128 << 10
    private static let byteCount = 800 * pieceByteCount
    private static let smallCount = 250

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let file = "\(workplace.directory)/floor.blob"
        let store = try Store.open(directory: "\(workplace.directory)/blobs.cblite2")
        defer { try? store.close() }
        var (floorWrite, floorRead) = (Double.infinity, Double.infinity)
        var (writing, reading) = (Double.infinity, Double.infinity)
        for turn in UInt8(1)...3 {
            let (rawWrite, rawRead) = (
                floor_blob_write(file, byteCount), floor_blob_read(file, byteCount)
            )
            guard rawWrite > 0, rawRead > 0 else { throw BenchFailure("the floor of files failed") }
            (floorWrite, floorRead) = (min(floorWrite, rawWrite), min(floorRead, rawRead))
            var digest: BlobDigest?
            let seconds = try Stopwatch.best(of: 1) { digest = try write(to: store, turn) }
            writing = min(writing, seconds)
            guard let digest else { return }
            reading = min(reading, try Stopwatch.best(of: 1) { try read(digest, store) })
        }
        let size = Double(byteCount) / 1e6
        report.add(
            figure("blob 100 MB, save", size / writing, size / floorWrite, "SHA-1, write, sync")
        )
        report.add(figure("blob 100 MB, read", size / reading, size / floorRead, "read"))
        try measureSmall(store, &report)
    }

    private static func figure(
        _ name: String,
        _ ours: Double,
        _ floor: Double,
        _ floorName: String
    ) -> Figure {
        Figure(
            name: name,
            unit: "MB/s",
            ours: ours,
            floor: floor,
            floorName: floorName
        )
    }

    /// Streams a blob in and stores a document that refers to it, which waits for the disk.
    private static func write(to store: Store, _ salt: UInt8) throws -> BlobDigest {
        let writer = try store.blobs.writer()
        try writer.append([salt])
        for number in 0..<(byteCount / pieceByteCount) {
            let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: pieceByteCount)
            try writer.append(piece)
        }
        let digest = try writer.finish()
        try name([digest], "large", in: store)
        return digest
    }

    private static func read(_ digest: BlobDigest, _ store: Store) throws {
        let reader = try store.blobs.reader(digest)
        var count = 0
        while case let piece = try reader.read(upTo: pieceByteCount), !piece.isEmpty {
            count += piece.count
        }
        guard count == byteCount + 1 else { throw BenchFailure("the blob is truncated") }
    }

    /// Small blobs with a document each, in one transaction, compared with one transaction each.
    private static func measureSmall(_ store: Store, _ report: inout Report) throws {
        func content(_ number: Int, _ salt: UInt8) -> [UInt8] {
            var bytes = [UInt8](repeating: salt, count: 20_000)
            bytes[0] = UInt8(truncatingIfNeeded: number)
            bytes[1] = UInt8(truncatingIfNeeded: number >> 8)
            return bytes
        }
        let apart = try Stopwatch.best(of: 1) {
            for number in 0..<smallCount {
                try name([store.blobs.write(content(number, 1))], "apart-\(number)", in: store)
            }
        }
        let together = try Stopwatch.best(of: 1) {
            let digests = try (0..<smallCount).map { try store.blobs.write(content($0, 2)) }
            try name(digests, "together", in: store)
        }
        report.add(
            Figure(
                name: "250 blobs of 20 KB in one transaction",
                unit: "blobs/s",
                ours: Double(smallCount) / together,
                floor: Double(smallCount) / apart,
                floorName: "ours, a transaction and a sync each"
            )
        )
    }

    private static func name(
        _ digests: [BlobDigest],
        _ prefix: String,
        in store: Store
    ) throws {
        try store.write { writer in
            for (index, digest) in digests.enumerated() {
                let body = #"{"file":{"@type":"blob","digest":"\#(digest)"}}"#
                _ = try writer.save(
                    DocumentID(unchecked: "\(prefix)-\(index)"),
                    in: .default,
                    body: Array(body.utf8),
                    hasBlobs: true
                )
            }
        }
    }
}

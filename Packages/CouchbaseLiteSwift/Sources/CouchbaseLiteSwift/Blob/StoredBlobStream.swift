import DivanDatabase
import Foundation

/// The content of a blob in an encrypted file, piece by piece.
///
/// Used by one thread at a time, like every stream. The file is opened along with the stream.
final class StoredBlobStream: InputStream {
    private let digest: BlobDigest
    private let blobs: BlobStore
    private var reader: BlobReader?
    private var readByteCount = 0
    private var status = Stream.Status.notOpen
    private(set) var failure: (any Error)?

    init(_ digest: BlobDigest, in blobs: BlobStore) {
        self.digest = digest
        self.blobs = blobs
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    override var hasBytesAvailable: Bool { status == .open }

    override func open() {
        guard status == .notOpen else { return }
        do throws(StoreError) {
            let opened = try blobs.reader(digest)
            reader = opened
            status = opened.byteCount == 0 ? .atEnd : .open
        } catch {
            fail(error)
        }
    }

    override func close() {
        reader = nil
        status = .closed
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        guard status == .open, let reader, count > 0 else { return failure == nil ? 0 : -1 }
        do throws(StoreError) {
            let piece = try reader.read(upTo: min(count, StoreLimits.blobPieceByteCount))
            // No more than requested, which is what the caller has room for.
            piece.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { buffer.update(from: start, count: bytes.count) }
            }
            readByteCount += piece.count
            if piece.isEmpty || readByteCount >= reader.byteCount { status = .atEnd }
            return piece.count
        } catch {
            fail(error)
            return -1
        }
    }

    private func fail(_ error: StoreError) {
        failure = NSError(from: error)
        status = .error
        reader = nil
    }
}

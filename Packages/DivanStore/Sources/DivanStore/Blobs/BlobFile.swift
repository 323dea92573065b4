internal import CDivanStore
internal import Glibc

/// A file being read.
final class BlobFileSource: BlobSource {
    let byteCount: Int
    private let descriptor: Int32
    private let path: String
    private let calls: BlobCalls
    private var offset = 0

    init(_ descriptor: Int32, byteCount: Int, path: String, calls: BlobCalls) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.path = path
        self.calls = calls
    }

    deinit {
        close(descriptor)
    }

    func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        var result = 0
        let piece = [UInt8](unsafeUninitializedCapacity: max(limit, 0)) { buffer, count in
            repeat {
                result = calls.read(descriptor, UnsafeMutableRawBufferPointer(buffer), offset)
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        guard result >= 0 else { throw .system(errno, at: path) }
        offset += piece.count
        return piece
    }

    func seek(to offset: Int) {
        self.offset = max(offset, 0)
    }

    /// Reads the whole of a range of the file.
    func read(_ part: Range<Int>) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(part, into: &bytes)
        return bytes
    }

    /// Reads the whole of a range of the file into `bytes`, whose memory is reused.
    func read(_ part: Range<Int>, into bytes: inout [UInt8]) throws(StoreError) {
        if bytes.count != part.count { bytes = [UInt8](repeating: 0, count: part.count) }
        var done = 0
        while done < part.count {
            let count = bytes.withUnsafeMutableBytes {
                let rest = UnsafeMutableRawBufferPointer(rebasing: $0[done...])
                return calls.read(descriptor, rest, part.lowerBound + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno, at: path) }
            guard count > 0 else {
                throw StoreError(.corrupt("the file is truncated"), at: path)
            }
            done += count
        }
    }
}

/// A temporary file that becomes a blob.
final class BlobFileSink: BlobSink {
    private var descriptor: Int32
    private let path: String
    private let directory: BlobDirectory
    private let calls: BlobCalls
    // Bytes written since the system was last told to start writing them to the disk.
    private var newByteCount = 0

    init(_ descriptor: Int32, path: String, directory: BlobDirectory, calls: BlobCalls) {
        self.descriptor = descriptor
        self.path = path
        self.directory = directory
        self.calls = calls
    }

    func append(_ piece: Span<UInt8>) throws(StoreError) {
        guard descriptor >= 0 else { throw StoreError(.notOpen, at: path) }
        let failure: Int32? = piece.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(buffer)[written...]
                )
                let count = calls.write(descriptor, rest)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                written += count
            }
            return nil
        }
        if let failure {
            discard()
            throw .system(failure, at: path)
        }
        newByteCount += piece.count
        guard newByteCount >= StoreLimits.writtenOutByteCount else { return }
        newByteCount = 0
        divan_begin_write_out(descriptor)
    }

    func store(as digest: BlobDigest) throws(StoreError) {
        guard descriptor >= 0 else { throw StoreError(.notOpen, at: path) }
        guard calls.changeMode(descriptor, 0o400) == 0 else {
            let number = errno
            discard()
            throw .system(number, at: path)
        }
        do throws(StoreError) {
            guard try directory.place(path, as: digest) else { return discard() }
        } catch {
            discard()
            throw error
        }
        end()
    }

    func discard() {
        guard descriptor >= 0 else { return }
        unlink(path)
        end()
    }

    private func end() {
        close(descriptor)
        descriptor = -1
        directory.sinkDidEnd()
    }

    func suspend() {
        guard descriptor >= 0 else { return }
        end()
    }
}

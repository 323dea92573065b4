import DivanPlatform

/// A file being read.
final class BlobFileSource: BlobSource {
    let byteCount: Int
    private let descriptor: FileDescriptor
    private let path: String
    private let calls: BlobCalls
    private var offset = 0

    init(_ descriptor: FileDescriptor, byteCount: Int, path: String, calls: BlobCalls) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.path = path
        self.calls = calls
    }

    deinit {
        descriptor.close()
    }

    func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        var failure: SystemError?
        let piece = [UInt8](unsafeUninitializedCapacity: max(limit, 0)) { buffer, count in
            do throws(SystemError) {
                let room = UnsafeMutableRawBufferPointer(buffer)
                count = try calls.read(descriptor, room, offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw .system(failure.errno, at: path) }
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
            var count = 0
            do {
                var room = bytes.mutableSpan
                count = try room.withUnsafeMutableBytes { buffer throws(SystemError) in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    return try calls.read(descriptor, rest, part.lowerBound + done)
                }
            } catch {
                throw .system(error.errno, at: path)
            }
            guard count > 0 else {
                throw StoreError(.corrupt("the file is truncated"), at: path)
            }
            done += count
        }
    }
}

/// A temporary file that becomes a blob.
final class BlobFileSink: BlobSink {
    private var descriptor: FileDescriptor
    private let path: String
    private let directory: BlobDirectory
    private let calls: BlobCalls
    // Bytes written since the system was last told to start writing them to the disk.
    private var newByteCount = 0

    init(_ descriptor: FileDescriptor, path: String, directory: BlobDirectory, calls: BlobCalls) {
        self.descriptor = descriptor
        self.path = path
        self.directory = directory
        self.calls = calls
    }

    func append(_ piece: Span<UInt8>) throws(StoreError) {
        guard descriptor.isOpen else { throw StoreError(.notOpen, at: path) }
        do {
            try piece.withUnsafeBytes { bytes throws(SystemError) in
                try calls.writeAll(bytes, to: descriptor)
            }
        } catch {
            discard()
            throw .system(error.errno, at: path)
        }
        newByteCount += piece.count
        guard newByteCount >= StoreLimits.writtenOutByteCount else { return }
        newByteCount = 0
        descriptor.beginWriteOut()
    }

    func store(as digest: BlobDigest) throws(StoreError) {
        guard descriptor.isOpen else { throw StoreError(.notOpen, at: path) }
        do throws(StoreError) {
            try StoreError.wrapping(calls.changeMode(descriptor, 0o400), at: path)
            guard try directory.place(path, as: digest) else { return discard() }
        } catch {
            discard()
            throw error
        }
        end()
    }

    func discard() {
        guard descriptor.isOpen else { return }
        try? FileSystem.removeFile(path)
        end()
    }

    private func end() {
        descriptor.close()
        descriptor = .none
        directory.sinkDidEnd()
    }

    func suspend() {
        guard descriptor.isOpen else { return }
        end()
    }
}

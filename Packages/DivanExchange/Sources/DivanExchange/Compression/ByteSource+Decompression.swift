import DivanCompression

extension ByteSource {
    /// Returns the contents of the input, decompressed if it is a gzip or Zstandard file.
    ///
    /// The first bytes decide, whatever the name is. At most 128 KiB are decompressed at a time.
    ///
    /// - Throws: When it is read: `ExchangeError` with `invalid` and the byte of the file if the file is damaged or
    ///   incomplete; with `noZstd` if zstd is required and not installed; errors of the input.
    public func decompressed() -> ByteSource {
        let contents = DecompressedContents(self)
        return ByteSource(name: name) { try contents.next() }
    }
}

/// The contents of an input that may be compressed.
private final class DecompressedContents {
    private enum State {
        case beginning
        case plain
        case compressed(FileCompression, any FileDecompressor)
        case ended
    }

    private let source: ByteSource
    private var state = State.beginning
    private var input: [UInt8] = []
    /// Bytes of `input` that were decompressed.
    private var offset = 0
    /// Bytes of the file before `input`.
    private var earlierByteCount: UInt64 = 0
    /// Whether the decompressor may hold more output.
    private var mayHoldMore = false
    /// Whether the last call neither consumed nor produced anything.
    private var isStalled = false

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Returns the next bytes; none at the end.
    func next() throws -> [UInt8] {
        while true {
            switch state {
            case .ended: return []
            case .beginning:
                try recognize()
                if case .plain = state, !input.isEmpty {
                    defer { input = [] }
                    return input
                }
            case .plain: return try source.read()
            case .compressed(let compression, let decompressor):
                let output = try next(of: decompressor, compression)
                if !output.isEmpty { return output }
            }
        }
    }

    /// Reads bytes until the format is known.
    private func recognize() throws {
        while true {
            let piece = try source.read()
            input += piece
            let recognition = piece.isEmpty ? .plain : FileCompression.recognizing(input)
            switch recognition {
            case nil: continue
            case .plain?: state = .plain
            case .compressed(let compression)?:
                let decompressor = try compression.makeDecompressor(for: source.name)
                state = .compressed(compression, decompressor)
            }
            return
        }
    }

    /// Decompresses a piece; returns nothing if more bytes of the file are needed, or at its end.
    private func next(
        of decompressor: any FileDecompressor,
        _ compression: FileCompression
    ) throws -> [UInt8] {
        if offset == input.count, !mayHoldMore {
            earlierByteCount += UInt64(input.count)
            (input, offset) = (try source.read(), 0)
            if input.isEmpty, decompressor.isComplete {
                state = .ended
                return []
            }
        }
        // At the end of the file, a further call throws a failure that the decompressor holds back.
        var output: [UInt8] = []
        do throws(CompressionError) {
            let count = try decompressor.decompress(
                input.span.extracting(offset..<input.count),
                appendingTo: &output
            )
            // After a failure, the next call throws.
            let isStuck = count == 0 && output.isEmpty && offset < input.count
            guard !isStuck || !isStalled else {
                throw .corrupt(codec: compression.name, detail: "no progress")
            }
            isStalled = isStuck
            mayHoldMore = !output.isEmpty || isStuck
            offset += count
        } catch {
            guard case .corrupt(_, let detail) = error else { throw error }
            throw failure("invalid \(compression.name) data (\(detail))")
        }
        if input.isEmpty, output.isEmpty, !decompressor.isComplete {
            throw failure("the \(compression.name) data is incomplete")
        }
        return output
    }

    private func failure(_ problem: String) -> ExchangeError {
        ExchangeError(
            .invalid,
            at: source.name,
            "byte \(earlierByteCount + UInt64(offset)): \(problem)",
            remedy: "check that the file is complete, or copy it again"
        )
    }
}

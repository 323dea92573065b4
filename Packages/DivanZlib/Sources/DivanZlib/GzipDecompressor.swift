internal import CDivanZlib
public import DivanCompression

/// Decompresses a gzip file; the contents of several members are joined, and zero bytes after the last are ignored.
///
/// Header, checksum and length of each member are verified. Uses about 60 KB of memory.
///
/// Source: RFC 1952.
public final class GzipDecompressor: FileDecompressor {
    private enum State {
        /// Before the first member.
        case beginning
        case member
        /// After a member.
        case between
        /// In zero bytes after the last member, with which tapes and blocks are filled.
        case padding
    }

    private static let stepCount = 8
    private static let firstMagicByte: UInt8 = 0x1F
    private static let codec = "gzip"

    private var state = State.beginning
    private var inflater: OpaquePointer?  // freed in `deinit`, used by one thread at a time
    private lazy var step = StepBuffer()
    /// What ends the file; the output before it is returned first.
    private var failure: CompressionError?

    /// Creates a decompressor, which allocates memory at the first byte.
    public init() {}

    deinit {
        if let inflater { divan_inflater_free(inflater) }
    }

    /// Whether the last member has ended.
    public var isComplete: Bool { state == .between || state == .padding }

    /// Appends decompressed bytes, at most 128 KiB; stops at the end of a member.
    public func decompress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) -> Int {
        if let failure { throw failure }
        switch state {
        case .member: return try inflate(input, into: &output)
        case .padding: return try skipPadding(input)
        case .beginning, .between:
            guard !input.isEmpty else { return 0 }
            if input[0] == 0, state == .between { return try skipPadding(input) }
            guard input[0] == Self.firstMagicByte else {
                let detail = state == .between ? "data after the end" : "not a gzip file"
                throw .corrupt(codec: Self.codec, detail: detail)
            }
            try begin()
            return try inflate(input, into: &output)
        }
    }

    private func skipPadding(_ input: Span<UInt8>) throws(CompressionError) -> Int {
        state = .padding
        for index in input.indices where input[index] != 0 {
            throw .corrupt(codec: Self.codec, detail: "data after the end")
        }
        return input.count
    }

    private func begin() throws(CompressionError) {
        if let inflater {
            divan_inflater_reset(inflater)
        } else {
            inflater = divan_inflater_make_gzip()
        }
        guard inflater != nil else { throw .library(codec: Self.codec, code: -4) }
        state = .member
    }

    private func inflate(
        _ input: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(CompressionError) -> Int {
        guard let inflater else { throw .library(codec: Self.codec, code: -2) }
        // The pointers are valid within the closure; the step buffer as long as this object.
        let (result, rest) = input.withUnsafeBufferPointer { input in
            var next = input.baseAddress
            var rest = input.count
            var result = divan_zlib_more
            for _ in 0..<Self.stepCount where result == divan_zlib_more {
                var count = 0
                let capacity = StepBuffer.byteCount
                result = divan_inflate(inflater, &next, &rest, step.start, capacity, &count)
                output.append(contentsOf: UnsafeBufferPointer(start: step.start, count: count))
            }
            return (result, rest)
        }
        switch result {
        case divan_zlib_done, divan_zlib_more: break
        case divan_zlib_ended: state = .between
        default:
            let message = String(cString: divan_inflater_message(inflater))
            let detail = message.isEmpty ? "invalid data" : message
            failure = .corrupt(codec: Self.codec, detail: detail)
        }
        return input.count - rest
    }
}

internal import CDivanZstd
public import DivanCompression

/// Decompresses a Zstandard file; the contents of several frames are joined, and skippable frames are skipped.
///
/// Frames with a dictionary, and frames that need a window of more than 128 MiB, are refused. Memory is the window of
/// the frame and about 400 KB.
///
/// Source: RFC 8878.
public final class ZstdFileDecompressor: FileDecompressor {
    private enum State {
        /// Before the first frame.
        case beginning
        case frame
        /// After a frame.
        case between
    }

    private static let stepByteCount = 128 << 10
    private static let codec = "zstd"
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The end of the magic number of a skippable frame, whose first byte is 0x50 to 0x5F.
    private static let skippableMagic: [UInt8] = [0x2A, 0x4D, 0x18]

    private let reader: OpaquePointer  // freed in `deinit`, used by one thread at a time
    private var state = State.beginning
    /// The magic number of the next frame, as far as it is known: old formats are not read.
    private var head: [UInt8] = []
    /// What ends the file; the output before it is returned first.
    private var failure: CompressionError?

    /// Creates a decompressor; `nil` if zstd is not installed, or if memory cannot be allocated.
    public init?() {
        guard let made = divan_zstd_reader_make() else { return nil }
        reader = made
    }

    deinit {
        divan_zstd_reader_free(reader)
    }

    /// Whether the last frame has ended.
    public var isComplete: Bool { state == .between && head.isEmpty }

    /// Whether a file begins like a frame, or like a skippable frame; `nil` if more bytes are needed.
    public static func recognizes(_ start: some Collection<UInt8>) -> Bool? {
        let start = Array(start.prefix(magic.count))
        let isSkippable = start.first.map { $0 & 0xF0 == 0x50 } ?? true
        let mayBeSkippable = isSkippable && skippableMagic.starts(with: start.dropFirst())
        guard magic.starts(with: start) || mayBeSkippable else { return false }
        return start.count == magic.count ? true : nil
    }

    /// Appends decompressed bytes, at most 128 KiB; stops at the end of a frame.
    public func decompress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) -> Int {
        if let failure { throw failure }
        var consumed = 0
        if state != .frame {
            while head.count < Self.magic.count, consumed < input.count {
                head.append(input[consumed])
                consumed += 1
            }
            guard let isFrame = Self.recognizes(head) else { return consumed }
            guard isFrame else {
                let detail = state == .between ? "data after the end" : "not a Zstandard file"
                throw .corrupt(codec: Self.codec, detail: detail)
            }
            state = .frame
            let start = head
            head = []
            guard read(start.span, into: &output) == start.count, failure == nil else {
                throw failure ?? .library(codec: Self.codec, code: -1)
            }
        }
        return consumed + read(input.extracting(consumed..<input.count), into: &output)
    }

    private func read(_ input: Span<UInt8>, into output: inout [UInt8]) -> Int {
        var result = divan_zstd_open
        var rest = input.count
        // Lent for the call, which writes at most `stepByteCount` bytes, and reads `input`.
        let piece = [UInt8](unsafeUninitializedCapacity: Self.stepByteCount) { room, count in
            input.withUnsafeBufferPointer { input in
                var next = input.baseAddress
                result = divan_zstd_read(
                    reader,
                    &next,
                    &rest,
                    room.baseAddress,
                    room.count,
                    &count
                )
            }
        }
        output += piece
        switch result {
        case divan_zstd_open: break
        case divan_zstd_ended: state = .between
        default:
            let message = String(cString: divan_zstd_reader_message(reader))
            let detail = message.isEmpty ? "invalid data" : message
            failure = .corrupt(codec: Self.codec, detail: detail)
        }
        return input.count - rest
    }
}

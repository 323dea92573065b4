import DivanBLIP

/// What an observer of the wire sees of a frame.
struct Seen: Equatable, CustomStringConvertible {
    let number: UInt64
    let flags: UInt8
    let byteCount: Int

    init(_ frame: [UInt8]) {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        var offset = 0
        while offset < frame.count {
            let byte = frame[offset]
            number |= UInt64(byte & 0x7F) << shift
            offset += 1
            shift += 7
            if byte < 0x80 { break }
        }
        self.number = number
        flags = frame[offset]
        byteCount = frame.count
    }

    var isReply: Bool { flags & 0x07 == 1 || flags & 0x07 == 2 }
    var isCompressed: Bool { flags & FrameBuilder.compressed != 0 }
    var hasMore: Bool { flags & FrameBuilder.moreComing != 0 }
    var isAcknowledgement: Bool { flags & 0x04 != 0 }

    var description: String { "\(number)/\(String(flags, radix: 16)):\(byteCount)" }
}

/// A body of a given length, generated as it is read; may fail on the way.
final class CountingSource: BLIPBodySource {
    struct Failure: Error {}

    private var remainingCount: Int
    private let failsAtEnd: Bool
    private(set) var readCount = 0

    init(byteCount: Int, failsAtEnd: Bool = false) {
        remainingCount = byteCount
        self.failsAtEnd = failsAtEnd
    }

    func read(upTo count: Int) throws -> [UInt8] {
        readCount += 1
        if remainingCount == 0, failsAtEnd { throw Failure() }
        let taken = min(count, remainingCount)
        remainingCount -= taken
        return [UInt8](repeating: 0x42, count: taken)
    }
}

extension BLIPBody {
    /// `count` zero bytes.
    static func zeros(_ count: Int) -> BLIPBody { .bytes([UInt8](repeating: 0, count: count)) }
}

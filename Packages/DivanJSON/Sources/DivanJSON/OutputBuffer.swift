/// Bytes being written, in memory that only grows.
///
/// Why the pointer is valid: `start` has room for `capacity` bytes, is allocated and freed only
/// here, and the type cannot be copied. Every write makes room first, and the bytes below `count`
/// are set.
struct OutputBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 256)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// A copy of what was written.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).initialize(from: source, count: bytes.count)
        count += bytes.count
    }

    /// Appends the digits of a number, at most twenty.
    mutating func append(decimal number: UInt64) {
        reserve(20)
        var digitCount = 1
        var bound: UInt64 = 10
        // The greatest bound is 10^19, which fits in 64 bits.
        while number >= bound {
            digitCount &+= 1
            if digitCount == 20 { break }
            bound &*= 10
        }
        var rest = number
        for offset in (count..<count &+ digitCount).reversed() {
            start[offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digitCount
    }

    /// Appends a byte for which there is room.
    @inline(__always)
    mutating func appendReserved(_ byte: UInt8) {
        start[count] = byte
        count &+= 1
    }

    /// Writes eight bytes at `offset` after the counted ones, for which there is room.
    @inline(__always)
    func store(_ word: UInt64, at offset: Int) {
        UnsafeMutableRawPointer(start + (count &+ offset))
            .storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    /// Counts bytes that were stored.
    @inline(__always)
    mutating func advance(by byteCount: Int) {
        count &+= byteCount
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Passes on the written bytes, and forgets them.
    mutating func drain(to sink: (Span<UInt8>) throws -> Void) rethrows {
        try sink(UnsafeBufferPointer(start: start, count: count).span)
        count = 0
    }

    /// Appends the written bytes to another byte array.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }

    /// Makes room for more bytes.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) {
        if capacity - count < byteCount { grow(by: byteCount) }
    }

    private mutating func grow(by byteCount: Int) {
        let larger = max(2 * capacity, count + byteCount)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memory.moveInitialize(from: start, count: count)
        start.deallocate()
        start = memory
        capacity = larger
    }
}

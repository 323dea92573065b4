/// The keys of the objects that are open while values are built: proves that they ascend, or orders them.
///
/// Most objects cost one comparison of two numbers per key: as long as keys ascend they are
/// unique and in canonical order.
///
/// Why the pointer is valid: the memory holds `capacity` records, is allocated and freed only
/// here, and the type cannot be copied. Records are trivial; those below `count` are set, and
/// every position comes from a caller that counted from there.
struct KeyOrderTracker: ~Copyable {
    /// One key: its position and its first eight bytes as a number that sorts in the same order.
    struct Record {
        /// The first byte highest; padded with zeros if the key is shorter.
        let prefix: UInt64
        let start: Int
        let byteCount: Int
        /// Whether the bytes are in `decoded` (the key had escapes) or in the text.
        let isDecoded: Bool

        /// Whether the key is `@type`.
        @inline(__always)
        var isType: Bool { prefix == typePrefix && byteCount == 5 }
    }

    /// How many keys the open objects have so far.
    private(set) var count = 0
    private var capacity = 32
    private var records = UnsafeMutablePointer<Record>.allocate(capacity: 32)
    private var decoded: [UInt8] = []

    deinit { records.deallocate() }

    /// The key at a position below `count`.
    subscript(position: Int) -> Record {
        @inline(__always) get { records[position] }
    }

    /// Adds a key of the innermost object, for which there were `first` records when it opened;
    /// returns whether it sorts after the previous key.
    @inline(__always)
    mutating func add(_ token: StringToken, in lexer: Lexer, objectFrom first: Int) -> Bool {
        add(record(of: token, in: lexer), in: lexer, objectFrom: first)
    }

    /// Adds a key whose record was just made.
    @inline(__always)
    mutating func add(_ record: Record, in lexer: Lexer, objectFrom first: Int) -> Bool {
        let ascends = count == first || precedes(records[count - 1], record, in: lexer)
        append(record)
        return ascends
    }

    /// Adds a key regardless of its order.
    @inline(__always)
    mutating func append(_ record: Record) {
        if count == capacity { grow() }
        (records + count).initialize(to: record)
        count += 1
    }

    /// Forgets the keys of the innermost object.
    @inline(__always)
    mutating func close(objectFrom first: Int) {
        count = first
    }

    /// Exchanges two records, for a caller that sorts members.
    mutating func swapAt(_ left: Int, _ right: Int) {
        (records[left], records[right]) = (records[right], records[left])
    }

    /// Whether `left` precedes `right` by bytes.
    @inline(__always)
    func precedes(_ left: Record, _ right: Record, in lexer: Lexer) -> Bool {
        left.prefix != right.prefix
            ? left.prefix < right.prefix : compareLong(left, right, in: lexer) < 0
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Record>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: records, count: count)
        records.deallocate()
        records = larger
        capacity *= 2
    }

    /// Orders two keys whose first eight bytes are equal.
    private func compareLong(_ left: Record, _ right: Record, in lexer: Lexer) -> Int {
        guard left.byteCount > 8, right.byteCount > 8 else {
            return left.byteCount - right.byteCount
        }
        return withBytes(of: left, in: lexer) { left in
            withBytes(of: right, in: lexer) { right in
                for offset in 8..<min(left.count, right.count)
                where left[offset] != right[offset] {
                    return Int(left[offset]) - Int(right[offset])
                }
                return left.count - right.count
            }
        }
    }

    private func withBytes<Value>(
        of record: Record,
        in lexer: Lexer,
        _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        guard record.isDecoded else {
            // The scan has read these bytes of the text.
            return body(
                UnsafeBufferPointer(start: lexer.base + record.start, count: record.byteCount)
            )
        }
        return decoded.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[record.start..<record.start + record.byteCount]))
        }
    }

    /// The record of a scanned key.
    @inline(__always)
    mutating func record(of token: StringToken, in lexer: Lexer) -> Record {
        if token.hasEscapes { return decodedRecord(of: token, in: lexer) }
        return Record(
            prefix: lexer.keyPrefix(of: token),
            start: token.start,
            byteCount: token.byteCount,
            isDecoded: false
        )
    }

    private mutating func decodedRecord(of token: StringToken, in lexer: Lexer) -> Record {
        let start = decoded.count
        lexer.decode(token, appendingTo: &decoded)
        return Record(
            prefix: Self.prefix(of: decoded[start...]),
            start: start,
            byteCount: decoded.count - start,
            isDecoded: true
        )
    }

    static func prefix(of bytes: some Collection<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var shift: UInt64 = 56
        for byte in bytes.prefix(8) {
            prefix |= UInt64(byte) << shift
            shift = shift &- 8
        }
        return prefix
    }
}

extension Lexer {
    /// The first eight bytes of a key without escapes, as `KeyOrderTracker.Record.prefix`.
    @inline(__always)
    func keyPrefix(of token: StringToken) -> UInt64 {
        guard token.start <= end &- 8 else { return KeyOrderTracker.prefix(of: bytes(of: token)) }
        let prefix = eightBytes(at: token.start).byteSwapped
        return token.byteCount < 8
            ? prefix & ~(UInt64.max &>> UInt64(8 &* token.byteCount)) : prefix
    }
}

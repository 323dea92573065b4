/// One container of Fleece: values at even offsets that point backwards only, the root last.
///
/// A second container may precede it, to which *external* pointers lead (the columns `body` and
/// `extra` of a document, written as one stream). Every offset, length and count is checked against its
/// container; a pointer leads backwards, so no chain of them is endless.
struct Fleece {
    let bytes: [UInt8]
    /// Where the container begins, and the previous one ends; 0 if there is none.
    let start: Int

    init(_ bytes: [UInt8], start: Int = 0) {
        self.bytes = bytes
        self.start = start
    }

    /// The end of the container at a position.
    private func end(around offset: Int) -> Int { offset < start ? start : bytes.count }

    /// A value, with the positions of its bytes or items.
    enum Value {
        case integer(Int64)
        case unsigned(UInt64)
        case float(Float)
        case double(Double)
        case null
        case bool(Bool)
        case undefined
        case string(Range<Int>)
        case data(Range<Int>)
        case array(Items)
        case dictionary(Items)
    }

    /// The items of an array; for a dictionary, alternating keys and values.
    struct Items {
        /// Items, or pairs.
        let count: Int
        fileprivate let first: Int
        fileprivate let byteCount: Int
    }

    /// The root value.
    func root() throws(RecordDamage) -> Value {
        try root(in: start..<bytes.count)
    }

    /// The root value of the previous container.
    func rootBefore() throws(RecordDamage) -> Value {
        try root(in: 0..<start)
    }

    private func root(in range: Range<Int>) throws(RecordDamage) -> Value {
        guard range.count >= 2, range.count % 2 == 0 else {
            throw RecordDamage("\(range.count) bytes are not a valid container")
        }
        let last = range.upperBound - 2
        guard bytes[last] & 0x80 == 0 else { return try value(at: target(of: last, isWide: false)) }
        guard range.count == 2 else { throw RecordDamage("no root pointer at the end") }
        return try value(at: last)
    }

    /// The value of an item, after following its pointers.
    func item(_ index: Int, of items: Items) throws(RecordDamage) -> Value {
        let offset = items.first + index * items.byteCount
        guard bytes[offset] & 0x80 != 0 else { return try value(at: offset) }
        return try value(at: target(of: offset, isWide: items.byteCount == 4))
    }

    /// Follows a pointer, and those that it leads to.
    private func target(of pointer: Int, isWide: Bool) throws(RecordDamage) -> Int {
        var (offset, isWide) = (pointer, isWide)
        repeat {
            guard offset + (isWide ? 4 : 2) <= end(around: offset) else {
                throw RecordDamage("truncated pointer")
            }
            var distance = Int(bytes[offset] & 0x7F) << 8 | Int(bytes[offset + 1])
            if isWide {
                distance = distance << 16 | Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            }
            // If nothing can be external, older writers used the bit for longer distances.
            let mayBeExternal = offset >= start && start > 0
            let externalBit = isWide ? 1 << 30 : 1 << 14
            let isExternal = distance & externalBit != 0 && (mayBeExternal || isWide)
            if isExternal { distance &= externalBit - 1 }
            let lowest = offset < start || isExternal ? 0 : start
            let highest = isExternal ? start : offset
            let next = offset - 2 * distance
            guard distance > 0, next >= lowest, next + 2 <= highest else {
                throw RecordDamage("a pointer is out of bounds")
            }
            offset = next
            isWide = true
        } while bytes[offset] & 0x80 != 0
        return offset
    }

    /// Reads the value at a position, which is inside.
    private func value(at offset: Int) throws(RecordDamage) -> Value {
        let end = end(around: offset)
        guard offset + 2 <= end else { throw RecordDamage("truncated value") }
        let (first, second) = (bytes[offset], bytes[offset + 1])
        switch first >> 4 {
        case 0:
            let number = Int64(first & 0xF) << 8 | Int64(second)
            return .integer(number < 2048 ? number : number - 4096)
        case 1: return try integer(at: offset, end)
        case 2: return try fraction(at: offset, end)
        case 3:
            switch first & 0x0C {
            case 0: return .null
            case 4: return .bool(false)
            case 8: return .bool(true)
            default: return .undefined
            }
        case 4: return .string(try content(at: offset, end))
        case 5: return .data(try content(at: offset, end))
        case 6: return .array(try items(at: offset, end, each: 1))
        case 7: return .dictionary(try items(at: offset, end, each: 2))
        default: throw RecordDamage("found a pointer where a value is expected")
        }
    }

    private func littleEndian(_ range: Range<Int>, _ end: Int) throws(RecordDamage) -> UInt64 {
        guard range.upperBound <= end else { throw RecordDamage("truncated number") }
        var number: UInt64 = 0
        for offset in range.reversed() { number = number << 8 | UInt64(bytes[offset]) }
        return number
    }

    private func integer(at offset: Int, _ end: Int) throws(RecordDamage) -> Value {
        let count = Int(bytes[offset] & 7) + 1
        let number = try littleEndian(offset + 1..<offset + 1 + count, end)
        if bytes[offset] & 8 != 0 { return .unsigned(number) }
        let unused = UInt64(64 - 8 * count)
        return .integer(Int64(bitPattern: number << unused) >> Int64(unused))
    }

    private func fraction(at offset: Int, _ end: Int) throws(RecordDamage) -> Value {
        let kind = bytes[offset] & 0x0C
        let number = try littleEndian(offset + 2..<offset + (kind == 8 ? 10 : 6), end)
        if kind == 8 { return .double(Double(bitPattern: number)) }
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: number))
        switch kind {
        case 0: return .float(float)
        case 4: return .double(Double(float))
        default: throw RecordDamage("unknown number type")
        }
    }

    private func content(at offset: Int, _ end: Int) throws(RecordDamage) -> Range<Int> {
        var cursor = ByteCursor(bytes, in: offset + 1..<end)
        var count = UInt64(bytes[offset] & 0xF)
        if count == 15 { count = cursor.varint() ?? .max }
        guard let length = Int(exactly: count), let range = cursor.range(count: length) else {
            throw RecordDamage("a string is longer than the container")
        }
        return range
    }

    private func items(
        at offset: Int,
        _ end: Int,
        each itemCount: Int
    ) throws(RecordDamage) -> Items {
        let byteCount = bytes[offset] & 8 != 0 ? 4 : 2
        var count = UInt64(bytes[offset] & 7) << 8 | UInt64(bytes[offset + 1])
        var first = offset + 2
        if count == 2047 {
            var cursor = ByteCursor(bytes, in: first..<end)
            guard let more = cursor.varint(), more <= UInt64(end) else {
                throw RecordDamage("more items than fit in the container")
            }
            count += more
            first = cursor.offset + (cursor.offset - offset) % 2
        }
        guard count <= UInt64(max(0, end - first) / (itemCount * byteCount)) else {
            throw RecordDamage("more items than fit in the container")
        }
        return Items(count: Int(count), first: first, byteCount: byteCount)
    }
}

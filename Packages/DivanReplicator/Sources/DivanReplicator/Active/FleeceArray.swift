/// Encodes a flat array in Fleece, the binary JSON of Couchbase Lite, to the extent that a checkpoint ID needs:
/// strings, Booleans, null and lists of strings.
///
/// Source: `checkpoints.md` §2, last list.
struct FleeceArray {
    enum Item {
        case string([UInt8])
        case bool(Bool)
        case strings([[UInt8]])
        case null
    }

    /// A pointer does not fit in 15 bits, or a list is too long for the short form of its count.
    private struct TooLong: Error {}

    /// Returns the bytes of the whole document, or `nil` when they have no short form.
    static func encode(_ items: [Item]) -> [UInt8]? {
        var encoder = FleeceArray()
        do throws(TooLong) {
            try encoder.writePointer(to: try encoder.write(items))
        } catch {
            return nil
        }
        return encoder.output
    }

    private static let farthest = 0x7FFF  // pairs of bytes that a short pointer spans

    private var output: [UInt8] = []
    private var shared: [[UInt8]: Int] = [:]  // offsets of short strings already written

    /// Writes the out-of-line values, then the array; returns the array's offset.
    private mutating func write(_ items: [Item]) throws(TooLong) -> Int {
        guard items.count < 0x7FF else { throw TooLong() }
        let places = try items.map { (item) throws(TooLong) in try place(item) }
        let offset = output.count
        output.append(0x60 | UInt8(items.count >> 8))
        output.append(UInt8(items.count & 0xFF))
        for place in places {
            switch place {
            case .inline(let first, let second): output += [first, second]
            case .pointer(let target): try writePointer(to: target)
            }
        }
        return offset
    }

    private mutating func place(_ item: Item) throws(TooLong) -> Place {
        switch item {
        case .null: return .inline(0x30, 0)
        case .bool(let value): return .inline(value ? 0x38 : 0x34, 0)
        case .string(let bytes): return try place(bytes)
        case .strings(let list):
            guard !list.isEmpty else { return .inline(0x30, 0) }
            return .pointer(try write(list.map { .string($0) }))
        }
    }

    private mutating func place(_ bytes: [UInt8]) throws(TooLong) -> Place {
        if bytes.count < 2 { return .inline(0x40 | UInt8(bytes.count), bytes.first ?? 0) }
        // Later values would have to point back further than they can.
        guard output.count <= 2 * Self.farthest else { throw TooLong() }
        if let offset = shared[bytes] { return .pointer(offset) }
        let offset = output.count
        if bytes.count <= 15 { shared[bytes] = offset }
        if bytes.count < 15 {
            output.append(0x40 | UInt8(bytes.count))
        } else {
            output.append(0x4F)
            var rest = bytes.count
            while rest >= 0x80 {
                output.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            output.append(UInt8(rest))
        }
        output += bytes
        if output.count % 2 == 1 { output.append(0) }
        return .pointer(offset)
    }

    private mutating func writePointer(to target: Int) throws(TooLong) {
        let distance = (output.count - target) / 2
        guard distance <= Self.farthest else { throw TooLong() }
        output.append(0x80 | UInt8(distance >> 8))
        output.append(UInt8(distance & 0xFF))
    }

    private enum Place {
        case inline(UInt8, UInt8)
        case pointer(Int)
    }
}

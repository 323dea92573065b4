import DivanJSON

/// Writes JSON in Couchbase Lite's format: values at even offsets, each container after what it points
/// to, member names as indices into a table.
///
/// For documents below 32 KiB, whose pointers take two bytes: the inverse of what `DivanCBLite`
/// reads.
struct FleeceWriter {
    /// The names in the order of their indices.
    private(set) var keys: [String] = []
    private var numbers: [String: Int] = [:]

    /// A value as stored in a container.
    private enum Slot {
        case inline(UInt8, UInt8)
        case pointer(to: Int)
    }

    /// The encoding of a document, whose names are added to the table.
    mutating func body(_ value: JSON) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let root = try write(value, to: &bytes)
        try put(root, to: &bytes)
        return bytes
    }

    /// The encoding of the table itself.
    func table() throws -> [UInt8] {
        // A table of a table: an array has no names.
        var writer = FleeceWriter()
        return try writer.body(.array(keys.map { .string($0) }))
    }

    private mutating func write(_ value: JSON, to bytes: inout [UInt8]) throws -> Slot {
        switch value {
        case .null: return .inline(0x30, 0)
        case .bool(let truth): return .inline(truth ? 0x38 : 0x34, 0)
        case .int(let number): return Self.write(number, to: &bytes)
        case .double(let number): return Self.write(number, to: &bytes)
        case .string(let text): return Self.write(Array(text.utf8), to: &bytes)
        case .array(let items):
            let slots = try items.map { try write($0, to: &bytes) }
            return try put(slots, count: items.count, kind: 0x60, to: &bytes)
        case .object(let members):
            let pairs = try members.map { name, value in
                (number(of: name), try write(value, to: &bytes))
            }
            let slots = pairs.sorted { $0.0 < $1.0 }.flatMap { [Self.small($0.0), $0.1] }
            return try put(slots, count: pairs.count, kind: 0x70, to: &bytes)
        case .uint, .long: throw BenchFailure("no document of the bench has such a number")
        }
    }

    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = keys.count
        keys.append(name)
        return keys.count - 1
    }

    private static func small(_ number: Int) -> Slot {
        .inline(UInt8(truncatingIfNeeded: number >> 8) & 0x0F, UInt8(truncatingIfNeeded: number))
    }

    private static func write(_ number: Int64, to bytes: inout [UInt8]) -> Slot {
        if (-2_048...2_047).contains(number) { return small(Int(number)) }
        let start = bytes.count
        bytes.append(0x17)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(0)
        return .pointer(to: start)
    }

    private static func write(_ number: Double, to bytes: inout [UInt8]) -> Slot {
        let start = bytes.count
        bytes += [0x28, 0]
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        return .pointer(to: start)
    }

    private static func write(_ text: [UInt8], to bytes: inout [UInt8]) -> Slot {
        if text.count < 2 { return .inline(0x40 | UInt8(text.count), text.first ?? 0) }
        let start = bytes.count
        bytes.append(0x40 | UInt8(min(text.count, 15)))
        if text.count >= 15 { append(text.count, to: &bytes) }
        bytes += text
        if !bytes.count.isMultiple(of: 2) { bytes.append(0) }
        return .pointer(to: start)
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends an array or a dictionary.
    private func put(
        _ slots: [Slot],
        count: Int,
        kind: UInt8,
        to bytes: inout [UInt8]
    ) throws -> Slot {
        guard count < 2_047 else { throw BenchFailure("a container of \(count) items") }
        if count == 0 { return .inline(kind, 0) }
        let start = bytes.count
        bytes += [kind | UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
        for slot in slots { try put(slot, to: &bytes) }
        return .pointer(to: start)
    }

    private func put(_ slot: Slot, to bytes: inout [UInt8]) throws {
        switch slot {
        case .inline(let first, let second): bytes += [first, second]
        case .pointer(let target):
            let distance = (bytes.count - target) / 2
            guard distance < 1 << 14 else { throw BenchFailure("a document of the bench is large") }
            bytes += [0x80 | UInt8(distance >> 8), UInt8(truncatingIfNeeded: distance)]
        }
    }
}

// The stored form is that of Couchbase Lite: a zero byte, then for each version
//   time: for the first the time itself, for the others the signed difference from it to the one before,
//     compressed, as a varint
//   source: the count of its bytes, 0 (`*`) or 16, with the top bit set for the current and the merged
//     versions; then the bytes
// Compressing drops the 16 lowest bits if they are zero, and adds a bit that says so. That drops the top bit:
// a difference from 2⁶² on, as between a tree ID from generation 5,800,000 on and a time of today, is
// then ambiguous by 2⁶³; no two times differ by that much.
// A tree ID never begins with a zero byte.
extension VersionVector {
    private static let headBit: UInt8 = 0x80

    /// The most bytes that a version takes: its number, its mark, and its source.
    private static let longestVersion = 10 + 1 + SourceID.byteCount

    /// Appends the stored form; times are in `HybridClock.validTimes`.
    public func encode(into output: inout [UInt8]) {
        let room = 1 + Self.longestVersion * versions.count
        output.append(upTo: room) { write(to: &$0, at: $1) }
    }

    /// Overwrites bytes, of which there are enough, with the stored form; returns where it ends.
    private func write(to bytes: inout MutableRawSpan, at start: Int) -> Int {
        var (end, before) = (start + 1, UInt64(0))
        for index in versions.indices {
            let version = versions[index]
            let number = Int64(bitPattern: index == 0 ? version.time : before &- version.time)
            let value = UInt64(bitPattern: Self.compressed(number))
            before = version.time
            end = Self.write(value, to: &bytes, at: end)
            let count = version.source == .me ? 0 : SourceID.byteCount
            let mark = UInt8(count) | (index <= mergeCount ? Self.headBit : 0)
            bytes.storeBytes(of: mark, toByteOffset: end, as: UInt8.self)
            end += 1
            guard count > 0 else { continue }
            let (high, low) = version.source.words
            bytes.storeBytes(of: high.bigEndian, toByteOffset: end, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: end + 8, as: UInt64.self)
            end += count
        }
        return end
    }

    /// Overwrites up to ten bytes with a varint; returns where it ends.
    private static func write(
        _ value: UInt64,
        to bytes: inout MutableRawSpan,
        at start: Int
    ) -> Int {
        if value >> 56 == 0 {
            let sevens = value.inSevens
            let count = max(1, (71 - sevens.leadingZeroBitCount) / 8)
            let marks = 0x8080_8080_8080_8080 & ((1 as UInt64) << (8 * (count - 1)) - 1)
            let word = (sevens | marks).littleEndian
            bytes.storeBytes(of: word, toByteOffset: start, as: UInt64.self)
            return start + count
        }
        var (end, rest) = (start, value)
        while rest >= 0x80 {
            let low = UInt8(truncatingIfNeeded: rest) | 0x80
            bytes.storeBytes(of: low, toByteOffset: end, as: UInt8.self)
            end += 1
            rest >>= 7
        }
        let last = UInt8(truncatingIfNeeded: rest)
        bytes.storeBytes(of: last, toByteOffset: end, as: UInt8.self)
        return end + 1
    }

    /// The stored form.
    public var encoded: [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    /// Parses the stored form.
    ///
    /// - Throws: `malformedBytes`, `repeatedSource`, `tooManyEntries`.
    public init(encoded bytes: Span<UInt8>) throws(VersionError) {
        var (offset, headCount) = (0, 0)
        var versions: [Version] = []
        do throws(ByteReader.Damage) {
            try Self.read(bytes, from: &offset, into: &versions, headCount: &headCount)
        } catch {
            throw .malformedBytes(offset: offset)
        }
        try self.init(versions, mergeCount: headCount - 1)
    }

    /// Reads versions to the end, or until there are too many.
    private static func read(
        _ bytes: Span<UInt8>,
        from offset: inout Int,
        into versions: inout [Version],
        headCount: inout Int
    ) throws(ByteReader.Damage) {
        guard bytes.count > 0, bytes[0] == 0 else { throw ByteReader.Damage() }
        offset = 1
        // At most one source takes less than its bytes.
        let most = bytes.count / (2 + SourceID.byteCount)
        versions.reserveCapacity(min(most, VersionLimits.receivedCount) + 1)
        while offset < bytes.count, versions.count <= VersionLimits.receivedCount {
            let (version, isHead) = try version(in: bytes, at: &offset, behind: versions.last)
            guard isHead == (versions.isEmpty || (isHead && headCount == versions.count)) else {
                throw ByteReader.Damage()
            }
            if isHead { headCount += 1 }
            versions.append(version)
        }
    }

    /// Reads the stored form of a vector of one version, which is that of a revision's name; `nil` for any
    /// other bytes.
    static func onlyVersion(encoded bytes: Span<UInt8>) -> Version? {
        var offset = 1
        guard bytes.count > offset, bytes[0] == 0,
            let (version, isHead) = try? version(in: bytes, at: &offset, behind: nil),
            isHead, offset == bytes.count
        else { return nil }
        return version
    }

    /// Reads a version, and whether it is the current one or one that was merged.
    private static func version(
        in bytes: Span<UInt8>,
        at offset: inout Int,
        behind before: Version?
    ) throws(ByteReader.Damage) -> (Version, isHead: Bool) {
        let number = try number(in: bytes, at: &offset)
        guard let difference = expanded(number, isTime: before == nil), offset < bytes.count else {
            throw ByteReader.Damage()
        }
        let time = before.map { ($0.time &- difference) & UInt64(Int64.max) } ?? difference
        guard time <= HybridClock.validTimes.upperBound, time > 0 else { throw ByteReader.Damage() }
        let mark = bytes[offset]
        offset += 1
        let source = try source(of: Int(mark & ~headBit), in: bytes, at: &offset)
        return (Version(checked: time, source), mark & headBit != 0)
    }

    /// Reads a varint, eight bytes at once if there are so many.
    private static func number(
        in bytes: Span<UInt8>,
        at offset: inout Int
    ) throws(ByteReader.Damage) -> UInt64 {
        guard bytes.count - offset >= 8 else {
            return try ByteReader.readNumber(of: bytes, at: &offset)
        }
        // There are eight bytes, and any bits are a number.
        let loaded = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let word = UInt64(littleEndian: loaded)
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return try ByteReader.readNumber(of: bytes, at: &offset) }
        // Everything up to the first byte without its top bit.
        let sevens = word & (ends ^ (ends - 1)) & 0x7F7F_7F7F_7F7F_7F7F
        offset += ends.trailingZeroBitCount / 8 + 1
        return UInt64(sevens: sevens)
    }

    private static func source(
        of byteCount: Int,
        in bytes: Span<UInt8>,
        at offset: inout Int
    ) throws(ByteReader.Damage) -> SourceID {
        guard byteCount > 0 else { return .me }
        guard byteCount == SourceID.byteCount, bytes.count - offset >= byteCount else {
            throw ByteReader.Damage()
        }
        // There are that many bytes, and any bits are a number.
        let high = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let low = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        let source = SourceID(words: (UInt64(bigEndian: high), UInt64(bigEndian: low)))
        guard source != .me else { throw ByteReader.Damage() }
        offset += byteCount
        return source
    }

    private static func compressed(_ number: Int64) -> Int64 {
        number & 0xFFFF == 0 ? number >> 15 : number << 1 | 1
    }

    /// The bits of the compressed number; `nil` if there is none.
    private static func expanded(_ compressed: UInt64, isTime: Bool) -> UInt64? {
        guard compressed & 1 != 0 else { return compressed << 15 }
        let bits =
            isTime ? compressed >> 1 : UInt64(bitPattern: Int64(bitPattern: compressed) >> 1)
        return bits & 0xFFFF == 0 ? nil : bits
    }
}

// Seven bits to a byte, as in varints, the lowest first: eight bytes in three steps.
extension UInt64 {
    /// The lower 56 bits with a zero above each seven.
    var inSevens: UInt64 {
        var bits = self
        bits = bits & 0x0000_0000_0FFF_FFFF | bits << 4 & 0x0FFF_FFFF_0000_0000
        bits = bits & 0x0000_3FFF_0000_3FFF | bits << 2 & 0x3FFF_0000_3FFF_0000
        return bits & 0x007F_007F_007F_007F | bits << 1 & 0x7F00_7F00_7F00_7F00
    }

    /// Reverses `inSevens`.
    init(sevens: UInt64) {
        var bits = sevens
        bits = bits & 0x007F_007F_007F_007F | bits >> 1 & 0x3F80_3F80_3F80_3F80
        bits = bits & 0x0000_3FFF_0000_3FFF | bits >> 2 & 0x0FFF_C000_0FFF_C000
        self = bits & 0x0000_0000_0FFF_FFFF | bits >> 4 & 0x00FF_FFFF_F000_0000
    }
}

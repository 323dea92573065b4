// The stored form is that of Couchbase Lite: a zero byte, then for each version
//   time: of the first itself, of the others the signed difference from it to the one before,
//     compressed, as a varint
//   source: the count of its bytes, 0 (`*`) or 16, with the top bit set for the current and the merged
//     versions; then the bytes
// Compressing drops the 16 lowest bits if they are zero, and adds one that tells; so differences stay
// below 2⁶², as those of times do until the year 2116.
// A tree ID never begins with a zero byte.
extension VersionVector {
    private static let headBit: UInt8 = 0x80

    /// Appends the stored form; times are in `HybridClock.validTimes`.
    public func encode(into output: inout [UInt8]) {
        output.reserveCapacity(output.count + 1 + 24 * versions.count)
        output.append(0)
        var before: UInt64 = 0
        for (index, version) in versions.enumerated() {
            let number = Int64(bitPattern: index == 0 ? version.time : before &- version.time)
            output.appendNumber(UInt64(bitPattern: Self.compressed(number)))
            before = version.time
            let count = version.source == .me ? 0 : UInt8(SourceID.byteCount)
            output.append(index <= mergeCount ? count | Self.headBit : count)
            if count > 0 { version.source.appendBytes(to: &output) }
        }
    }

    /// The stored form.
    public var encoded: [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    /// Reads the stored form.
    ///
    /// - Throws: `malformedBytes`, `repeatedSource`, `tooManyEntries`.
    public init(encoded bytes: Span<UInt8>) throws(VersionError) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader, byteCount: bytes.count)
    }

    /// Reads the stored form out of a longer one, which has so many bytes left at least.
    init(from reader: inout ByteReader, byteCount: Int) throws(VersionError) {
        let end = reader.offset + byteCount
        var (versions, headCount) = ([Version](), 0)
        // One source at most takes less than its bytes.
        versions.reserveCapacity(
            min(byteCount / (2 + SourceID.byteCount), VersionLimits.receivedCount) + 1
        )
        do throws(ByteReader.Damage) {
            guard try reader.readByte() == 0 else { throw ByteReader.Damage() }
            var before: UInt64 = 0
            while reader.offset < end, versions.count <= VersionLimits.receivedCount {
                let number = try reader.readNumber()
                guard let difference = Self.expanded(number, isTime: versions.isEmpty) else {
                    throw ByteReader.Damage()
                }
                before = versions.isEmpty ? difference : before &- difference
                let mark = try reader.readByte()
                let isHead = mark & Self.headBit != 0
                guard let version = try Self.readVersion(mark & ~Self.headBit, before, &reader),
                    isHead == (versions.isEmpty || (isHead && headCount == versions.count))
                else { throw ByteReader.Damage() }
                if isHead { headCount += 1 }
                versions.append(version)
            }
            guard reader.offset <= end || versions.count > VersionLimits.receivedCount else {
                throw ByteReader.Damage()
            }
        } catch {
            throw .malformedBytes(offset: reader.offset)
        }
        try self.init(versions, mergeCount: headCount - 1)
    }

    private static func readVersion(
        _ byteCount: UInt8,
        _ time: UInt64,
        _ reader: inout ByteReader
    ) throws(ByteReader.Damage) -> Version? {
        guard time <= HybridClock.validTimes.upperBound else { return nil }
        guard byteCount > 0 else { return Version(time: time, source: .me) }
        guard byteCount == SourceID.byteCount else { return nil }
        let source = SourceID(words: (try reader.readWord(), try reader.readWord()))
        return source == .me ? nil : Version(time: time, source: source)
    }

    private static func compressed(_ number: Int64) -> Int64 {
        number & 0xFFFF == 0 ? number >> 15 : number << 1 | 1
    }

    /// The bits of the number that is compressed so; `nil` when none is.
    private static func expanded(_ compressed: UInt64, isTime: Bool) -> UInt64? {
        guard compressed & 1 != 0 else { return compressed << 15 }
        let bits =
            isTime ? compressed >> 1 : UInt64(bitPattern: Int64(bitPattern: compressed) >> 1)
        return bits & 0xFFFF == 0 ? nil : bits
    }
}

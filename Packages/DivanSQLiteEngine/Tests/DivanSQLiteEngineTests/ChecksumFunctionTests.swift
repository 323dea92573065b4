import CDivanSQLiteEngine
import DivanTestKit
import Testing

/// The checksum that is stored with each row.
@Suite struct ChecksumFunctionTests {
    @Test func `the hardware and the table implementation give the same checksum`() {
        var generator = SeededGenerator(seed: 7)
        for count in [0, 1, 7, 8, 23, 24, 25, 47, 48, 100, 1_000, 4_099] {
            let bytes = [UInt8].random(count: count, using: &generator)
            let seed = UInt32.random(in: 0...UInt32.max, using: &generator)
            let fast = divan_checksum(seed, bytes, UInt64(count))
            #expect(fast == divan_checksum_slowly(seed, bytes, UInt64(count)), "\(count) bytes")
        }
    }

    /// Files outlive programs, so the checksum is part of the format.
    @Test func `the checksum of known bytes never changes`() {
        let bytes = (0..<100).map { UInt8($0) }
        #expect(divan_checksum(1, bytes, 100) == 3_682_280_210)
        #expect(divan_checksum(2, bytes, 0) == 3_909_876_404)
    }

    @Test func `any change within 32 adjacent bits changes the checksum`() {
        var generator = SeededGenerator(seed: 8)
        let bytes = [UInt8].random(count: 61, using: &generator)
        let whole = divan_checksum(1, bytes, 61)
        for bit in 0..<(61 * 8) {
            for width in [1, 2, 3, 31, 32] where bit + width <= 61 * 8 {
                var changed = bytes
                for flipped in [bit, bit + width - 1] {
                    changed[flipped / 8] ^= 1 << UInt8(flipped % 8)
                }
                guard changed != bytes else { continue }
                #expect(divan_checksum(1, changed, 61) != whole, "bit \(bit), width \(width)")
            }
        }
    }
}

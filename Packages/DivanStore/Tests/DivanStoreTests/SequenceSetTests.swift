import DivanStore
import DivanTestKit
import Testing

/// Sets of sequences against a plain set.
@Suite struct SequenceSetTests {
    @Test(arguments: UInt64(0)..<60)
    func `a set of ranges is a set`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ranges = SequenceSet()
        var members: Set<UInt64> = []
        for _ in 0..<120 {
            let first = UInt64.random(in: 0..<60, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                ranges.insert(first)
                members.insert(first)
            case 1:
                let last = first + UInt64.random(in: 0..<8, using: &generator)
                ranges.insert(first..<last)
                members.formUnion(first..<last)
            default:
                ranges.remove(first)
                members.remove(first)
            }
        }
        let listed = ranges.ranges.flatMap { Array($0) }
        #expect(listed == members.sorted(), "seed \(seed)")
        #expect((0..<70).allSatisfy { ranges.contains($0) == members.contains($0) })
        #expect(ranges.last == members.max())
        let missing = (0...59).filter { !members.contains($0) }.count
        #expect(ranges.missingCount(through: 59) == UInt64(missing))
        for (range, next) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
            #expect(range.upperBound < next.lowerBound, "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `an intersection holds what both hold`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sets = [SequenceSet(), SequenceSet()]
        for index in 0..<60 {
            let first = UInt64.random(in: 0..<50, using: &generator)
            sets[index % 2].insert(first..<(first + UInt64.random(in: 1..<6, using: &generator)))
        }
        let both = sets[0].intersection(sets[1])
        for member in UInt64(0)..<60 {
            let isInBoth = sets[0].contains(member) && sets[1].contains(member)
            #expect(both.contains(member) == isInBoth, "seed \(seed)")
        }
        #expect(both == sets[1].intersection(sets[0]))
    }

    @Test func `the greatest sequence does not overflow`() {
        var set = SequenceSet(through: 3)
        set.insert(.max)
        set.remove(.max)
        #expect(set.contains(3))
        #expect(set.missingCount(through: .max) > 0)
    }
}

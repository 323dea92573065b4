import DivanStore
import DivanTestKit
import Testing

/// Sets of sequences compared with a plain set.
@Suite struct SequenceSetTests {
    @Test(arguments: UInt64(0)..<60)
    func `a set of ranges behaves like a plain set`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ranges = SequenceSet()
        var members: Set<UInt64> = []
        for _ in 0..<120 {
            let first = UInt64.random(in: 0..<60, using: &generator)
            switch Int.random(in: 0..<16, using: &generator) {
            case 15:
                let last = first / 4
                ranges.removeAll(through: last)
                members = members.filter { $0 > last }
            case 0..<5:
                ranges.insert(first)
                members.insert(first)
            case 5..<10:
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
        for member in UInt64(0)..<70 {
            let end = members.contains(member) ? (member...).first { !members.contains($0) } : nil
            #expect(ranges.end(of: member) == end.map { $0 - 1 }, "seed \(seed)")
        }
        let missing = (0...59).filter { !members.contains($0) }.count
        #expect(ranges.missingCount(through: 59) == UInt64(missing))
        for (range, next) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
            #expect(range.upperBound < next.lowerBound, "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `ranges in any order make the same set`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ranges: [Range<UInt64>] = []
        var set = SequenceSet()
        for _ in 0..<40 {
            let first = UInt64.random(in: 0..<90, using: &generator)
            ranges.append(first..<(first + UInt64.random(in: 0..<6, using: &generator)))
        }
        for range in ranges { set.insert(range) }
        #expect(SequenceSet(ranges.shuffled(using: &generator)) == set, "seed \(seed)")
    }

    @Test(arguments: UInt64(0)..<40)
    func `an intersection contains what both sets contain`(seed: UInt64) {
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
        set.insert(9)
        set.removeAll(through: .max)
        #expect(set.isEmpty)
    }
}

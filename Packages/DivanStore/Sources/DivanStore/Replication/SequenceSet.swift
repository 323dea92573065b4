/// A set of sequences of a collection, stored as ranges: for example, what a replicator has pushed, or what a
/// remote has.
///
/// Sequences are completed nearly in order, so the set is one long range and a few short ranges; adding at the end
/// takes constant time. The set of a checkpoint always contains 0.
///
/// Source: `checkpoints.md` §3.
public struct SequenceSet: Equatable, Sendable {
    /// The ranges in ascending order, never empty, overlapping or adjacent.
    public private(set) var ranges: [Range<UInt64>] = []

    /// Creates an empty set.
    public init() {}

    /// Creates the set 0…`last`, the state of a peer that has completed everything so far.
    public init(through last: UInt64) {
        insert(0..<last.saturatingSuccessor)
    }

    /// Creates a set from ranges in any order, which may overlap; empty ranges are ignored.
    public init(_ ranges: some Sequence<Range<UInt64>>) {
        // Sorted, so that each is added at the end and none is moved.
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The last sequence of the first range, the `local` member of a checkpoint; 0 if empty.
    public var firstRangeEnd: UInt64 { ranges.first.map { $0.upperBound - 1 } ?? 0 }

    /// The greatest member, or `nil` if empty.
    public var last: UInt64? { ranges.last.map { $0.upperBound - 1 } }

    /// Whether `sequence` is a member.
    public func contains(_ sequence: UInt64) -> Bool {
        let index = firstIndex(endingAfter: sequence)
        return index < ranges.count && ranges[index].lowerBound <= sequence
    }

    /// Whether every sequence of a range is a member.
    func contains(_ range: Range<UInt64>) -> Bool {
        let index = firstIndex(endingAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// Adds one sequence.
    public mutating func insert(_ sequence: UInt64) {
        insert(sequence..<sequence.saturatingSuccessor)
    }

    /// Adds a range, and joins it with overlapping and adjacent ranges.
    public mutating func insert(_ added: Range<UInt64>) {
        guard !added.isEmpty else { return }
        let first = added.lowerBound == 0 ? 0 : firstIndex(endingAfter: added.lowerBound - 1)
        var joined = added
        var end = first
        while end < ranges.count, ranges[end].lowerBound <= added.upperBound {
            let lower = min(joined.lowerBound, ranges[end].lowerBound)
            joined = lower..<max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        guard end == first + 1 else {
            ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
            return
        }
        ranges[first] = joined
    }

    /// Removes one sequence; does nothing if it is not a member.
    public mutating func remove(_ sequence: UInt64) {
        let index = firstIndex(endingAfter: sequence)
        guard index < ranges.count, ranges[index].lowerBound <= sequence else { return }
        let range = ranges[index]
        // Nearly always at an end of its range, which is shortened in place.
        let (before, behind) = (range.lowerBound..<sequence, (sequence + 1)..<range.upperBound)
        switch (before.isEmpty, behind.isEmpty) {
        case (true, true): ranges.remove(at: index)
        case (true, false): ranges[index] = behind
        case (false, true): ranges[index] = before
        case (false, false):
            ranges[index] = behind
            ranges.insert(before, at: index)
        }
    }

    /// Removes every sequence up to and including `last`.
    public mutating func removeAll(through last: UInt64) {
        let index = firstIndex(endingAfter: last.saturatingSuccessor)
        ranges.removeFirst(index)
        guard let first = ranges.first, first.lowerBound <= last else { return }
        ranges[0] = last.saturatingSuccessor..<first.upperBound
    }

    /// The last member of the unbroken run that contains `sequence`; `nil` if it is not a member.
    public func end(of sequence: UInt64) -> UInt64? {
        let index = firstIndex(endingAfter: sequence)
        guard index < ranges.count, ranges[index].lowerBound <= sequence else { return nil }
        return ranges[index].upperBound - 1
    }

    /// Returns the sequences that are in both sets.
    public func intersection(_ other: SequenceSet) -> SequenceSet {
        var result = SequenceSet()
        var (mine, theirs) = (0, 0)
        while mine < ranges.count, theirs < other.ranges.count {
            let (a, b) = (ranges[mine], other.ranges[theirs])
            let lower = max(a.lowerBound, b.lowerBound)
            let upper = min(a.upperBound, b.upperBound)
            if lower < upper { result.insert(lower..<upper) }
            if a.upperBound < b.upperBound { mine += 1 } else { theirs += 1 }
        }
        return result
    }

    /// How many sequences up to and including `last` are not members.
    public func missingCount(through last: UInt64) -> UInt64 {
        var members: UInt64 = 0
        for range in ranges where range.lowerBound <= last {
            members += min(range.upperBound, last.saturatingSuccessor) - range.lowerBound
        }
        return last.saturatingSuccessor - members
    }

    /// The index of the first range that ends after `sequence`: the one that may contain it.
    private func firstIndex(endingAfter sequence: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        if let last = ranges.last, last.upperBound <= sequence { return high }
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension UInt64 {
    /// The next number; the greatest stays the same, so that a hostile count cannot overflow.
    fileprivate var saturatingSuccessor: UInt64 { self == .max ? self : self + 1 }
}

import DivanStore

/// The peer's sequences in the order of their announcement, and the point up to which all are finished.
///
/// `safe` is the value for the checkpoint: the sequence announced just before the oldest unfinished one. Finished
/// entries between two unfinished ones are removed occasionally, so that an unfinished sequence does not make the list
/// grow without limit.
///
/// Sequences almost always increase, so the list is in numerical order, and most are found by their number. Others are
/// in `strays`.
///
/// Pushed revisions also have sequences on the peer. If the peer reports them, `resumable` includes those that follow
/// `safe` without a gap: they need not be compared in the next run.
///
/// Source: `checkpoints.md` §3, `replication.md` §9.
public struct RemoteSequences: Sendable {
    /// Everything up to and including this sequence is finished; `nil` before the first one.
    public private(set) var safe: RemoteSequence?
    /// Whether the peer repeats earlier sequences.
    ///
    /// Divan peers do, for documents that are pushed without knowing their revision. For other peers, a lower sequence
    /// is where the next run should start.
    public var mayRepeat = false
    /// Announced sequences that are not finished.
    public private(set) var unfinishedCount = 0

    /// The peer's sequences of what was pushed by this side.
    private var pushed = SequenceSet()
    private static let pushedRangesCount = 64  // one for each stranger's change in between
    private var entries: [Entry] = []
    private var doneCount = 0  // entries at the front that `safe` has passed
    private var firstPosition = 0  // position of `entries[0]` since the start
    private var strays: [RemoteSequence: Int] = [:]  // positions of unfinished entries
    /// Unfinished sequences that the peer repeated, and the lowest of them: no later run hears of them, unless it
    /// starts before them.
    private var repeated = (count: 0, from: UInt64.max)
    private var compactionCount = 1024  // entries at which finished ones are dropped next

    /// Creates a list that continues after `since`.
    public init(since: RemoteSequence? = nil) {
        safe = since
    }

    /// Appends a sequence; `isFinished` if nothing has to be done for it.
    public mutating func announce(_ sequence: RemoteSequence, isFinished: Bool) {
        if isFinished, entries.count == doneCount || isPassed(sequence) {
            pass(sequence)
            return
        }
        let rising = risingNumber(of: sequence)
        if !isFinished {
            if rising == nil {
                if let index = index(of: sequence) {
                    entries[index].openCount += 1
                    return
                }
                strays[sequence] = firstPosition + entries.count
            }
            unfinishedCount += 1
        }
        let reach = rising ?? entries.last?.reach ?? 0
        var entry = Entry(sequence: sequence, reach: reach, openCount: isFinished ? 0 : 1)
        if !isFinished, mayRepeat, let number = sequence.number,
            rising == nil || isPassed(sequence)
        {
            entry.isRepeated = true
            repeated = (repeated.count + 1, min(repeated.from, number))
        }
        entries.append(entry)
        if entries.count >= compactionCount { compact() }
    }

    /// The peer stored a pushed revision under this sequence.
    public mutating func notePushed(_ sequence: UInt64) {
        let passed = safe?.number ?? 0
        guard sequence > passed else { return }
        if pushed.ranges.count >= Self.pushedRangesCount { pushed.removeAll(through: passed) }
        guard pushed.ranges.count < Self.pushedRangesCount else { return }
        pushed.insert(sequence)
    }

    /// Where the next run may start: `safe`, or the end of the pushed sequences directly after it, but before any
    /// repeated sequence in progress.
    ///
    /// Every change up to `safe` was announced and is finished, and a sequence is never used twice; so no other change
    /// can be hidden among the pushed sequences.
    public var resumable: RemoteSequence? {
        if let passed = safe?.number, repeated.from > 0, repeated.from <= passed {
            return RemoteSequence(repeated.from - 1)
        }
        guard !pushed.isEmpty, let last = safe.map({ $0.number }) ?? 0, last < .max,
            let end = pushed.end(of: last + 1)
        else { return safe }
        return RemoteSequence(end)
    }

    /// Finishes a sequence once; returns whether it was announced and unfinished.
    @discardableResult
    public mutating func finish(_ sequence: RemoteSequence) -> Bool {
        guard let index = index(of: sequence) else { return false }
        entries[index].openCount -= 1
        guard entries[index].openCount == 0 else { return true }
        if !strays.isEmpty { strays[sequence] = nil }
        unfinishedCount -= 1
        if entries[index].isRepeated {
            repeated.count -= 1
            if repeated.count == 0 { repeated.from = .max }
        }
        if index == doneCount { advance() }
        return true
    }

    /// Whether the sequence was announced and is not finished.
    public func isUnfinished(_ sequence: RemoteSequence) -> Bool { index(of: sequence) != nil }

    /// The number of a sequence, if it is greater than all before it; `nil` for a stray.
    private func risingNumber(of sequence: RemoteSequence) -> UInt64? {
        guard let number = sequence.number, let last = entries.last else { return sequence.number }
        return number > last.reach ? number : nil
    }

    /// The index of an unfinished sequence in `entries`.
    private func index(of sequence: RemoteSequence) -> Int? {
        if let position = strays[sequence] { return position - firstPosition }
        guard let number = sequence.number else { return nil }
        var (low, high) = (doneCount, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].reach < number { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].openCount > 0, entries[low].sequence == sequence
        else { return nil }
        return low
    }

    /// Whether the peer repeats a sequence: of a document that we push without knowing its revision.
    private func isPassed(_ sequence: RemoteSequence) -> Bool {
        guard mayRepeat, let last = safe?.number, let number = sequence.number else { return false }
        return number <= last
    }

    /// Everything up to this sequence is finished; a repeated one reverts nothing.
    private mutating func pass(_ sequence: RemoteSequence) {
        if !isPassed(sequence) { safe = sequence }
    }

    private mutating func advance() {
        let from = doneCount
        while doneCount < entries.count, entries[doneCount].openCount == 0 { doneCount += 1 }
        guard doneCount > 0 else { return }
        for entry in entries[from..<doneCount] { pass(entry.sequence) }
        // Only now and then, so that each entry is moved about once.
        guard doneCount == entries.count || doneCount >= 256 && doneCount * 2 >= entries.count
        else { return }
        dropDone()
    }

    private mutating func dropDone() {
        entries.removeFirst(doneCount)
        firstPosition += doneCount
        doneCount = 0
    }

    /// Drops each finished entry that is followed by a finished one: no checkpoint needs it.
    private mutating func compact() {
        dropDone()
        var keptCount = 0
        for index in entries.indices {
            let isFollowedByFinished =
                index + 1 < entries.count && entries[index + 1].openCount == 0
            if entries[index].openCount == 0, isFollowedByFinished { continue }
            if keptCount < index { move(index, to: keptCount) }
            keptCount += 1
        }
        entries.removeLast(entries.count - keptCount)
        compactionCount = max(1024, keptCount * 2)
    }

    private mutating func move(_ index: Int, to place: Int) {
        entries[place] = entries[index]
        guard entries[index].openCount > 0, !strays.isEmpty,
            let stray = strays.index(forKey: entries[index].sequence)
        else { return }
        strays.values[stray] = firstPosition + place
    }

    private struct Entry {
        let sequence: RemoteSequence
        /// The greatest number up to here, without strays.
        let reach: UInt64
        var openCount: Int
        /// Whether it was announced before.
        var isRepeated = false
    }
}

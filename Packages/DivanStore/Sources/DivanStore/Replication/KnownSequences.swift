import DivanRevisions

/// Which documents of a collection remotes are known to have, as the sequences of their rows.
///
/// **What it promises.** A sequence is here only if the remote had exactly the revision in the row with
/// this sequence. So a push can leave it out, and a pull need not request it.
///
/// **Why it exists.** A push of new documents marks each of them as known at the remote. If marks were
/// written into the rows, every row would be written a second time; as sequences here, a run of them
/// extends one range, and no row is changed. So only rows with a single revision are here: such a row keeps
/// that revision as long as it keeps its sequence. Any other mark is in the row itself, or in its tree.
///
/// **The states of a mark.** Nowhere: the remote is not known to have the revision. Here, as a member of
/// its range. In the row, as the one remote that has its only revision, or in the tree, as the latest
/// revision that each remote has. A mark is looked up in the row first, then here (`ancestor(of:at:in:)`).
/// It moves only towards the tree. When the row is saved again, the new tree takes it over
/// (`holders(of:)`); the old sequence, which is never reused, may stay behind, since no row has it any
/// more. When the tree changes while the sequence stays, it is removed (`remove(_:)`).
///
/// **What may be reordered.** Marks arrive in the order of the remote's answers, which is not that of the
/// sequences; this does not matter to a set. Several runs of one transaction are added one after another
/// and written once. A mark that arrives after the row has changed is no longer that of a single revision,
/// and goes into the tree; so before a run is added, its rows are counted, unless nothing was stored since
/// the feed that listed them was read.
///
/// **What bounds it.** One entry for each remote, one range for each gap, at most
/// `StoreLimits.knownRangesCount` of them: a short run that would add a range goes into its rows instead,
/// and so does any run when there are that many. A remote that accepts in order needs one range. The set is
/// read once per transaction and written as a whole; looking up a sequence is a binary search.
///
/// **What a crash leaves.** Marks are written in transactions before the checkpoint that relies on them.
/// One that was lost costs a proposal that the remote answers with "known". A stored form that cannot be
/// read is damage, and reported as such: guessing might withhold a change from the remote for good.
struct KnownSequences: Equatable {
    private(set) var remotes: [Entry] = []

    struct Entry: Equatable {
        let remote: RemoteID
        var sequences = SequenceSet()
    }

    /// Whether `remote` has the document whose row has this sequence.
    func contains(_ sequence: UInt64, at remote: RemoteID) -> Bool {
        self[remote].contains(sequence)
    }

    /// The remotes that have the document whose row has this sequence.
    func holders(of sequence: UInt64) -> [RemoteID] {
        remotes.lazy.filter { $0.sequences.contains(sequence) }.map(\.remote)
    }

    /// What one remote has.
    subscript(remote: RemoteID) -> SequenceSet {
        get { remotes.first { $0.remote == remote }?.sequences ?? SequenceSet() }
        set {
            remotes.removeAll { $0.remote == remote }
            if !newValue.isEmpty { remotes.append(Entry(remote: remote, sequences: newValue)) }
        }
    }

    /// Forgets a sequence, since the row's tree now holds its marks; returns whether it was there.
    mutating func remove(_ sequence: UInt64) -> Bool {
        let holders = holders(of: sequence)
        for remote in holders { self[remote].remove(sequence) }
        return !holders.isEmpty
    }
}

// MARK: The stored form

/// For each remote its number and ranges, such as `1:1-100,120-130;2:7-9`.
extension KnownSequences {
    /// Reads the stored form; `nil` if it is damaged.
    init?(encoded: [UInt8]) {
        guard !encoded.isEmpty else { return }
        var reader = NumberReader(bytes: encoded)
        repeat {
            guard let number = reader.number(before: ":").flatMap({ UInt32(exactly: $0) }),
                number > 0
            else { return nil }
            var entry = Entry(remote: RemoteID(rawValue: number))
            var ranges: [Range<UInt64>] = []
            repeat {
                guard let first = reader.number(before: "-"),
                    let last = reader.number(before: ",", or: ";"),
                    first <= last, last < .max
                else { return nil }
                ranges.append(first..<(last + 1))
            } while reader.stoppedAt(",")
            entry.sequences = SequenceSet(ranges)
            remotes.append(entry)
        } while reader.stoppedAt(";")
    }

    /// The stored form; empty when nothing is known.
    var encoded: [UInt8] {
        let entries = remotes.map { entry in
            let ranges = entry.sequences.ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
            return "\(entry.remote.rawValue):" + ranges.joined(separator: ",")
        }
        return Array(entries.joined(separator: ";").utf8)
    }
}

/// Reads decimal numbers and the characters between them.
private struct NumberReader {
    let bytes: [UInt8]
    private var position = 0
    private var last: UInt8?

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    func stoppedAt(_ mark: Unicode.Scalar) -> Bool { last == UInt8(ascii: mark) }

    /// A number and the character after it; if two are allowed, the last one may be missing.
    mutating func number(before mark: Unicode.Scalar, or end: Unicode.Scalar? = nil) -> UInt64? {
        var value: UInt64?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                last = byte
                let isExpected =
                    byte == UInt8(ascii: mark) || end.map { byte == UInt8(ascii: $0) } ?? false
                return isExpected ? value : nil
            }
            let (tens, isTooLarge) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isAbove) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !isTooLarge, !isAbove else { return nil }
            value = sum
        }
        last = nil
        return end == nil ? nil : value
    }
}

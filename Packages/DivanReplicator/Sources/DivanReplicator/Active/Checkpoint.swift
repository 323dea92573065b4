import DivanJSON
public import DivanStore

/// The progress of two peers in replicating a collection.
///
/// Source: `checkpoints.md` §3, §5.
public struct Checkpoint: Equatable, Sendable {
    /// Local sequences that have been pushed or need no push; always contains 0.
    public var completed = SequenceSet(through: 0)
    /// The peer's sequence up to which everything has been pulled; `nil` if unknown.
    public var remote: RemoteSequence?
    /// For local sequences up to this one that are not completed, the recorded state of the peer is unreliable, because
    /// the peer was restored to an earlier state.
    public var doubtedThrough: UInt64 = 0

    /// Creates the checkpoint of two peers that have never synced.
    public init() {}

    /// Reads a stored or received body; unknown and invalid members are ignored.
    public init(json body: [UInt8]) {
        guard let object = (try? JSON(parsing: body.span))?.object else { return }
        if let pairs = object["localCompleted"]?.array {
            completed = Self.sequences(fromPairs: pairs)
        } else if let last = object["local"]?.unsigned {
            completed = SequenceSet(through: last)
        }
        doubtedThrough = object["localDoubted"]?.unsigned ?? 0
        if let value = object["remote"], !value.isNull, let text = try? value.canonicalBytes() {
            remote = RemoteSequence(json: String(decoding: text, as: UTF8.self))
        }
    }

    /// Number of ranges written; anything after them is compared again after a restart.
    ///
    /// Peers limit the size of a checkpoint; this many take some 80 KB.
    static let writtenRangesCount = 2_000

    /// Returns the body; `time`, in seconds since 1970, is informational only.
    public func json(time: Int64) -> [UInt8] { json(time: time, lineage: CheckpointLineage()) }

    /// Writes the body, with the lineage of its saves.
    func json(time: Int64, lineage: CheckpointLineage) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.integer(time)
        if completed.firstRangeEnd > 0 {
            writer.key("local")
            writer.integer(completed.firstRangeEnd)
        }
        if completed.ranges.count > 1 {
            writer.key("localCompleted")
            writer.beginArray()
            for range in completed.ranges.prefix(Self.writtenRangesCount) {
                writer.integer(range.lowerBound)
                writer.integer(range.upperBound - range.lowerBound)
            }
            writer.endArray()
        }
        if doubtedThrough > completed.firstRangeEnd {
            writer.key("localDoubted")
            writer.integer(doubtedThrough)
        }
        if let remote {
            writer.key("remote")
            writer.raw(Array(remote.json.utf8).span)
        }
        lineage.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Keeps only what the peer's copy confirms.
    ///
    /// - Returns: Whether anything was discarded; the push then ignores all recorded remote ancestors in this run.
    @discardableResult
    public mutating func reconcile(with peer: Checkpoint) -> Bool {
        var isChanged = false
        if completed != peer.completed {
            completed = completed.intersection(peer.completed)
            completed.insert(0)
            isChanged = true
        }
        guard let mine = remote, mine != peer.remote else { return isChanged }
        guard let theirs = peer.remote, let isEarlier = theirs.precedes(mine) else {
            remote = nil
            return true
        }
        if isEarlier { remote = theirs }
        return isChanged || isEarlier
    }

    private static func sequences(fromPairs pairs: [JSON]) -> SequenceSet {
        var ranges = [Range<UInt64>(0...0)]
        for index in stride(from: 0, to: pairs.count - 1, by: 2) {
            guard let first = pairs[index].unsigned, let length = pairs[index + 1].unsigned,
                length > 0, length <= .max - first
            else { break }
            ranges.append(first..<(first + length))
        }
        return SequenceSet(ranges)
    }
}

extension JSON {
    /// The value if it is a non-negative integer.
    fileprivate var unsigned: UInt64? {
        switch self {
        case .int(let value): UInt64(exactly: value)
        case .uint(let value): value
        default: nil
        }
    }
}

/// A connection that has sent everything and waits for the end of its peer's direction.
protocol LingeringStream: AnyObject {
    /// Ends it at once.
    func close()
}

/// The connections of a loop that have sent everything and wait for the end of their peer's direction.
///
/// No server counts them any more, so clients that are refused and do not hang up must not use up the process's
/// descriptors: above the limit, the one that has waited longest is closed. What it was sent has left.
struct LingeringStreams {
    /// More than hang up at the same time in normal operation.
    static let limit = 256

    private struct Entry {
        weak var stream: (any LingeringStream)?
    }

    private var entries: [Entry] = []
    private var oldest = 0

    /// Adds one; returns the one that must be closed.
    mutating func add(_ stream: any LingeringStream) -> (any LingeringStream)? {
        guard entries.count == Self.limit else {
            entries.append(Entry(stream: stream))
            return nil
        }
        let evicted = entries[oldest].stream
        entries[oldest] = Entry(stream: stream)
        oldest = (oldest + 1) % Self.limit
        return evicted
    }
}

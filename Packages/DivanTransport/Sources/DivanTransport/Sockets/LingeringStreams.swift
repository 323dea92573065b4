/// A connection that has said all, and waits for the end of its peer's direction.
protocol LingeringStream: AnyObject {
    /// Ends it at once.
    func close()
}

/// The connections of a loop that have said all, and wait for the end of their peer's direction.
///
/// No server counts them any more, so whoever is refused and does not hang up must not fill the process
/// with descriptors: with many, the one that has waited longest is closed. What it was sent has left.
struct LingeringStreams {
    /// More than hang up at the same time where nothing is wrong.
    static let limit = 256

    private struct Entry {
        weak var stream: (any LingeringStream)?
    }

    private var entries: [Entry] = []
    private var oldest = 0

    /// Adds one; returns the one that has to go.
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

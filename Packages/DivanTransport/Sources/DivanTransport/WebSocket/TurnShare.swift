/// How many messages one connection hands over in a turn of its loop: about as many as take
/// `wantedTime`, by what its last turns took.
///
/// What a message costs only its receiver knows: most are read in microseconds, and a hostile peer makes
/// them cost a thousand times as much. The other connections of the loop wait for each turn.
///
/// A turn that waits for a slow disk gets no shorter with fewer messages, and many small ones wait more
/// often. So what counts is the processor's time. Asking for it takes a call of the system, which only a
/// turn after a long one makes.
struct TurnShare {
    private(set) var messageCount = 64
    /// Whether the processor's time of the next turn is to be told.
    private(set) var wantsProcessorTime = false

    /// Long enough for some hundred usual messages, and far below what a person notices.
    static let wantedTime = Duration.milliseconds(40)
    private static let messageCounts = 4...1_024

    /// Takes note of a turn that handed over `count` messages within `time`, answers included.
    mutating func took(_ time: Duration, processorTime: Duration? = nil, for count: Int) {
        let cost = processorTime ?? time
        wantsProcessorTime = time > Self.wantedTime / 2
        if processorTime != nil, cost > Self.wantedTime {
            set(min(count, messageCount) / 2)
        } else if count == messageCount, cost < Self.wantedTime / 2 {
            set(messageCount * 2)
        }
    }

    private mutating func set(_ count: Int) {
        messageCount = min(max(count, Self.messageCounts.lowerBound), Self.messageCounts.upperBound)
    }
}

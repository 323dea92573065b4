/// How many messages one connection delivers in a turn of its loop: about as many as take `wantedTime`, estimated from
/// its last turns.
///
/// Only the receiver knows what a message costs: most are handled in microseconds, and a hostile peer can make them
/// cost a thousand times as much. The loop's other connections wait for each turn.
///
/// A turn that waits for a slow disk does not get shorter with fewer messages, and many small turns wait more often. So
/// processor time is what counts. Measuring it takes a system call, which only a turn after a long one makes.
struct TurnBudget {
    private(set) var messageCount = 64
    /// Whether the caller should measure the processor time of the next turn.
    private(set) var wantsProcessorTime = false

    /// Long enough for some hundred typical messages, and far below what a person notices.
    static let wantedTime = Duration.milliseconds(40)
    private static let messageCounts = 4...1_024

    /// Records a turn that delivered `count` messages within `time`, answers included.
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

/// How many messages one connection hands over in a turn of its loop: about as many as take
/// `wantedTime`, by what its last turns took.
///
/// What a message costs only its receiver knows: most are read in microseconds, and a hostile peer makes
/// them cost a thousand times as much. The other connections of the loop wait for each turn.
struct TurnShare {
    private(set) var messageCount = 64

    /// Long enough for some hundred usual messages, and far below what a person notices.
    static let wantedTime = Duration.milliseconds(40)
    private static let messageCounts = 4...1_024

    /// Takes note of a turn that handed over `count` messages within `time`, answers included.
    mutating func took(_ time: Duration, for count: Int) {
        if time > Self.wantedTime {
            set(min(count, messageCount) / 2)
        } else if count == messageCount, time < Self.wantedTime / 2 {
            set(messageCount * 2)
        }
    }

    private mutating func set(_ count: Int) {
        messageCount = min(max(count, Self.messageCounts.lowerBound), Self.messageCounts.upperBound)
    }
}

/// Counts rounds of replication: in a round, each link that has something to send becomes idle once.
///
/// A link that opens during a round belongs to it. While all links are idle, no round passes.
struct RoundCounter<Connection: Hashable> {
    private(set) var count = 0
    private var busy: Set<Connection> = []
    /// Links that have not been idle in this round.
    private var waiting: Set<Connection> = []

    mutating func opened(_ link: Connection) {
        busy.insert(link)
        waiting.insert(link)
    }

    mutating func sends(_ link: Connection) {
        busy.insert(link)
        if waiting.isEmpty { waiting = busy }
    }

    mutating func isIdleOrClosed(_ link: Connection) {
        busy.remove(link)
        guard waiting.remove(link) != nil, waiting.isEmpty else { return }
        count += 1
        waiting = busy
    }
}

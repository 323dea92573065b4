/// How far a feed of local changes has been read.
enum FeedPhase {
    /// Changes from before the feed began are still being read.
    case backlog
    /// All was read.
    case caughtUp
    /// There are changes that came after all had been read once.
    case behind

    /// There are changes behind the last one that was read.
    mutating func notice() {
        if self == .caughtUp { self = .behind }
    }
}

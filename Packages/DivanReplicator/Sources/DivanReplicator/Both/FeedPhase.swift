/// How far a feed of local changes has been read.
enum FeedPhase {
    /// Changes from before the feed began are still being read.
    case backlog
    /// Everything has been read.
    case caughtUp
    /// There are changes that were made after everything had been read once.
    case behind

    /// There are changes after the last one that was read.
    mutating func notice() {
        if self == .caughtUp { self = .behind }
    }
}

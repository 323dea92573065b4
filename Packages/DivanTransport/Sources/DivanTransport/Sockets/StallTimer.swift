/// How long a peer has accepted none of the bytes queued for it.
struct StallTimer {
    private let patience: Duration
    /// When the peer last took bytes.
    private(set) var lastProgress: Duration = .zero
    private var timer: TimerToken?

    init(patience: Duration) {
        self.patience = patience
    }

    /// Records that the peer is taking bytes.
    mutating func noteProgress(at now: Duration) {
        lastProgress = now
    }

    /// Calls `check` when the patience may be exhausted; a timer that is already set is kept.
    mutating func begin(on loop: EpollLoop, _ check: @escaping () -> Void) {
        guard timer == nil else { return }
        timer = loop.scheduleHere(at: max(lastProgress, loop.now) + patience, check)
    }

    /// Records that the timer has fired; returns whether the patience is exhausted.
    mutating func isOver(at now: Duration) -> Bool {
        timer = nil
        return now - lastProgress >= patience
    }

    /// Forgets the timer.
    mutating func end(on loop: EpollLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}

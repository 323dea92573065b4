/// How long a peer has taken nothing of what waits for it.
struct StallWatch {
    private let patience: Duration
    private var lastProgress: Duration = .zero
    private var timer: TimerToken?

    init(patience: Duration) {
        self.patience = patience
    }

    /// Notes that the peer takes something.
    mutating func noteProgress(at now: Duration) {
        lastProgress = now
    }

    /// Has `check` called when patience may be over; the timer that is set already stays.
    mutating func begin(on loop: EpollLoop, _ check: @escaping () -> Void) {
        guard timer == nil else { return }
        timer = loop.scheduleHere(at: max(lastProgress, loop.now) + patience, check)
    }

    /// Notes that the timer has fired; returns whether patience is over.
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

import Dispatch
import DivanPlatform
import Synchronization

/// An event loop on its own thread, based on epoll.
///
/// One iteration (turn) of the loop: wait; run the scheduled closures; process the sockets that became ready; run
/// the timers that are due; then let every connection write the data that it queued in this turn. So a closure that
/// a connection schedules runs after the data that it queued before has been written.
///
/// If the process is out of file descriptors, the loop still runs: it polls for closures and timers
/// (`TransportLimits.blindTurnMilliseconds`), and tries to open its descriptors with each poll. So the operation
/// that fails is opening a socket, with an error that states the reason.
///
/// `@unchecked Sendable` is correct because, except for the two locked or atomic members, all state is used only on
/// the loop's thread: the methods that do so state “on the loop” and are called by code that runs there.
public final class EpollLoop: EventLoop, @unchecked Sendable {
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let lastTimer = Atomic<UInt64>(0)

    /// Wakes the loop; -1 while the process has no descriptor available for it.
    private let wakeupDescriptor = Atomic<Int32>(-1)
    private var poller = Poller()
    private var timers = TimerQueue()
    /// On the loop.
    var lingering = LingeringStreams()
    private var flushes: [any TurnEndSource] = []
    private var isStopping = false

    /// Memory into which connections read; lent by `withReadBuffer`.
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EpollLoop.readByteCount,
        alignment: 64
    )
    /// Decrypted bytes for a connection; the capacity is kept from read to read.
    var plaintext: [UInt8] = []

    /// Bytes that one connection may read in one turn; the answers to them are written when it ends.
    ///
    /// About half of what a sync has in flight, so that both ends work at the same time.
    static let readByteCount = 128 << 10

    /// Work from other threads, and whether the loop has been woken for it.
    ///
    /// **What bounds it.** The senders, because nobody may wait here: two loops that post to each other would deadlock.
    /// A connection has at most a handful of posts pending: the rest of its turn, one write, the decision about its
    /// request, and one answer from each `WorkQueue` that it uses, one thing at a time.
    /// `TransportLimits.connectionCount` limits connections; the process's descriptors limit those accepted but not yet
    /// handed over, and `TCPListener` pauses when they run out. An `InProcessPair` posts batches of at least a byte,
    /// until `highWaterByteCount` is in flight. A sync session posts once for all notices of the store
    /// (`StoreChangeNotifier`), and once for each running resolver (`ConflictBacklog.runningLimit`). A message endpoint limits
    /// in bytes what an application hands over. The rest, such as `start` and `stop`, is one post per call by the
    /// application.
    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        var isRung = false
        var isOpen = true
    }

    /// Starts the thread; it runs until `stop()`.
    public init(name: String = "divan-loop") {
        openDescriptors()
        guard !startThread(name: name, { self.run() }) else { return }
        // Dispatch retries until the system can start a thread.
        DispatchQueue(label: name).async { self.run() }
    }

    deinit {
        let wakeupDescriptor = wakeupDescriptor.load(ordering: .relaxed)
        if wakeupDescriptor >= 0 { FileDescriptor(wakeupDescriptor).close() }
        readBuffer.deallocate()
    }

    // MARK: EventLoop

    /// Time of the system's monotonic clock.
    public var now: Duration { .nanoseconds(MonotonicClock.now()) }

    /// Whether the caller is the loop's thread.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == CurrentThread.id
    }

    /// Runs `work` in the loop's next turn; a stopped loop discards it.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        let mustRing = inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.work.append(work)
            defer { inbox.isRung = true }
            return !inbox.isRung
        }
        // The loop checks its inbox before it sleeps, so it need not wake itself.
        if mustRing, !isCurrent { ring() }
    }

    /// Runs `work` in the first turn after `deadline`.
    @discardableResult
    public func schedule(
        at deadline: Duration,
        _ work: @escaping @Sendable () -> Void
    ) -> TimerToken {
        let number = lastTimer.add(1, ordering: .relaxed).newValue
        if isCurrent {
            timers.insert(number, at: deadline, work)
        } else {
            execute { self.timers.insert(number, at: deadline, work) }
        }
        return TimerToken(number: number)
    }

    /// Cancels a timer.
    public func cancel(_ timer: TimerToken) {
        guard isCurrent else { return execute { self.cancel(timer) } }
        // What the timer holds may use the loop while it is released.
        withExtendedLifetime(timers.remove(timer.number)) {}
    }

    /// Ends the thread after the closures scheduled so far; connections are not closed.
    ///
    /// For tests, and for groups that an application created itself.
    public func stop() {
        execute { self.isStopping = true }
    }

    // MARK: On the loop

    /// The processor time that the loop's thread has used so far.
    var processorTime: Duration { .nanoseconds(ProcessorClock.thread()) }

    /// Watches a descriptor; the source is kept until `remove`.
    func add(_ descriptor: FileDescriptor, _ source: any EventSource, _ interest: Interest) {
        poller.add(descriptor, source, interest)
    }

    /// Changes what a descriptor is watched for.
    func change(_ descriptor: FileDescriptor, _ interest: Interest) {
        poller.change(descriptor, interest)
    }

    /// Stops watching a descriptor; call it before closing it.
    func remove(_ descriptor: FileDescriptor) {
        withExtendedLifetime(poller.remove(descriptor)) {}
    }

    /// Calls the source once when this turn ends.
    func atTurnEnd(_ source: any TurnEndSource) {
        flushes.append(source)
    }

    /// Lends the read buffer; the call must not keep it or ask for it again.
    func withReadBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        body(readBuffer)
    }

    // MARK: Turns

    private func run() {
        thread.store(CurrentThread.id, ordering: .relaxed)
        while !isStopping {
            if !hasDescriptors { openDescriptors() }
            let events = wait()
            let begin = now
            runInbox()
            for event in events { serve(event) }
            // Not timers that became due meanwhile: events that came before them are handled first, in the next turn,
            // however long this one took.
            runTimers(dueAt: begin)
            runTurnEnd()
        }
        drop()
        thread.store(0, ordering: .relaxed)
    }

    private var hasDescriptors: Bool {
        poller.isOpen && wakeupDescriptor.load(ordering: .relaxed) >= 0
    }

    /// Opens the descriptors that the loop lacks, as far as the process has any left.
    private func openDescriptors() {
        poller.open()
        guard poller.isOpen, wakeupDescriptor.load(ordering: .relaxed) < 0 else { return }
        guard let wakeup = try? Wakeup() else { return }
        poller.add(wakeup.descriptor, WakeupSource(wakeup), .reading)
        // Before the loop checks its inbox: whoever posts after that check finds the descriptor.
        wakeupDescriptor.store(wakeup.descriptor.rawValue, ordering: .sequentiallyConsistent)
    }

    /// Waits for events, work or a timer; without the wakeup, no longer than until the next poll.
    private func wait() -> ArraySlice<EventPoller.Event> {
        let milliseconds = waitingTime()
        guard !hasDescriptors else { return poller.wait(milliseconds: milliseconds) }
        let longest = TransportLimits.blindTurnMilliseconds
        let bounded = milliseconds < 0 ? longest : min(milliseconds, longest)
        guard !poller.isOpen else { return poller.wait(milliseconds: bounded) }
        CurrentThread.sleep(milliseconds: Int(bounded))
        return []
    }

    /// Releases everything that will no longer run.
    ///
    /// Released objects may use the loop, so they are released while nothing here is being changed.
    private func drop() {
        let work = inbox.withLock { inbox in
            inbox.isOpen = false
            defer { inbox.work = [] }
            return inbox.work
        }
        let timers = timers
        self.timers = TimerQueue()
        // Sources hold their loop: if it still watched them, both would never be released.
        let sources = poller.removeAll()
        withExtendedLifetime((work, timers, sources)) {}
    }

    private func waitingTime() -> Int32 {
        let hasWork = inbox.withLock { inbox in
            // From here on other threads must ring: the inbox is checked again only after the wait.
            if inbox.work.isEmpty { inbox.isRung = false }
            return !inbox.work.isEmpty
        }
        if hasWork { return 0 }
        guard let deadline = timers.deadline() else { return -1 }
        let (seconds, attoseconds) = max(.zero, deadline - now).components
        // Rounded up, so that the timer is due when the wait is over.
        let milliseconds = min(seconds, 1000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        return deadline <= now ? 0 : Int32(milliseconds)
    }

    private func serve(_ event: EventPoller.Event) {
        if event.isWritable { poller.source(event.mark)?.isWritable() }
        if event.isReadable { poller.source(event.mark)?.isReadable() }
    }

    private func runInbox() {
        let work = inbox.withLock { inbox in
            defer { inbox.work = [] }
            return inbox.work
        }
        for item in work { item() }
    }

    private func runTimers(dueAt time: Duration) {
        // A timer set by a timer waits for the next turn, so that turns end.
        let newest = lastTimer.load(ordering: .relaxed)
        while let work = timers.take(at: time, upTo: newest) { work() }
    }

    private func runTurnEnd() {
        while !flushes.isEmpty {
            let sources = flushes
            flushes = []
            for source in sources { source.turnDidEnd() }
        }
    }

    private func ring() {
        let wakeupDescriptor = wakeupDescriptor.load(ordering: .sequentiallyConsistent)
        if wakeupDescriptor >= 0 { Wakeup(descriptor: FileDescriptor(wakeupDescriptor)).signal() }
    }
}

/// Something that acts once when a turn of the loop ends.
protocol TurnEndSource: AnyObject {
    func turnDidEnd()
}

/// Empties the counter that wakes the loop.
private final class WakeupSource: EventSource {
    private let wakeup: Wakeup

    init(_ wakeup: Wakeup) {
        self.wakeup = wakeup
    }

    func isReadable() { wakeup.clear() }

    func isWritable() {}
}

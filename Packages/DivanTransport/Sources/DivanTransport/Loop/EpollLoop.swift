import CDivanTransport
import Dispatch
import Glibc
import Synchronization

/// An event loop on a thread of its own, over epoll.
///
/// A turn of the loop: wait; run the work that was handed over; serve what became ready; run the
/// timers that are due; then let every connection write, once, what the turn queued for it. So work
/// that a connection hands over for later finds what came before it on its way.
///
/// A process that is out of descriptors has a loop all the same: work and timers run, from one look to the next
/// (`TransportLimits.blindTurnMilliseconds`), and the loop asks for its descriptors with each of them. So what
/// fails is the socket that somebody wants to open, with an error that says why.
///
/// `@unchecked Sendable` holds because everything but the two locked or atomic members is touched
/// by the loop's thread alone: methods that do so say “on the loop” and are called by code that
/// runs there.
public final class EpollLoop: EventLoop, @unchecked Sendable {
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let lastTimer = Atomic<UInt64>(0)

    /// Wakes the loop; -1 while the process has no descriptor for it.
    private let bell = Atomic<Int32>(-1)
    private var poller = Poller()
    private var timers = TimerQueue()
    /// On the loop.
    var lingering = LingeringStreams()
    private var flushes: [any TurnEndSource] = []
    private var isStopping = false

    /// Memory that connections borrow to read into; lent by `withReadBuffer`.
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EpollLoop.readByteCount,
        alignment: 64
    )
    /// Decrypted bytes on their way to a connection; its capacity stays from read to read.
    var plaintext: [UInt8] = []

    /// Bytes that one connection may read in one turn, which ends with the answers to them.
    ///
    /// About half of what a sync has on its way, so that both ends work at the same time.
    static let readByteCount = 128 << 10

    /// Work from other threads, and whether the bell has been rung for it.
    ///
    /// **What bounds it.** Those who post, as nobody may wait here: two loops that post to each other
    /// would wait for ever. A connection has at most a handful of posts under way: the rest of its turn,
    /// one write, the decision about its request, and one answer of each `WorkQueue` that it asked, one
    /// thing at a time; connections are bounded by `TransportLimits.connectionCount`, and those that are
    /// accepted and not handed over yet by the descriptors of the process, at which `TCPListener` pauses.
    /// An `InProcessPair` posts batches of at least a byte, until `highWaterByteCount` is on its way. A
    /// sync session posts once for all notices of the store (`StoreNotices`), and once for each of the
    /// resolvers at work (`ConflictBacklog.runningLimit`). What an application hands over itself, a
    /// message endpoint bounds in bytes. The rest, such as `start` and `stop`, is one post for each call
    /// of the application.
    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        var isRung = false
        var isOpen = true
    }

    /// Starts the thread; it runs until `stop()`.
    public init(name: String = "divan-loop") {
        openDescriptors()
        guard !startThread(name: name, { self.run() }) else { return }
        // Dispatch tries again until the system has a thread to give.
        DispatchQueue(label: name).async { self.run() }
    }

    deinit {
        poller.close()
        let bell = bell.load(ordering: .relaxed)
        if bell >= 0 { close(bell) }
        readBuffer.deallocate()
    }

    // MARK: EventLoop

    /// Time of the system's monotonic clock.
    public var now: Duration { Self.time(of: CLOCK_MONOTONIC) }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Whether the caller is the loop's thread.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs `work` in the loop's next turn; a stopped loop drops it.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        let mustRing = inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.work.append(work)
            defer { inbox.isRung = true }
            return !inbox.isRung
        }
        // The loop looks into its inbox before it sleeps: it need not wake itself.
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

    /// Forgets a timer.
    public func cancel(_ timer: TimerToken) {
        guard isCurrent else { return execute { self.cancel(timer) } }
        // What it holds may use the loop as it goes.
        withExtendedLifetime(timers.remove(timer.number)) {}
    }

    /// Ends the thread after the work handed over so far; connections are not closed.
    ///
    /// For tests and for groups that an application made itself.
    public func stop() {
        execute { self.isStopping = true }
    }

    // MARK: On the loop

    /// What the loop's thread has used of the processor so far.
    var processorTime: Duration { Self.time(of: CLOCK_THREAD_CPUTIME_ID) }

    /// Watches a descriptor; the source is kept until `remove`.
    func add(_ descriptor: Int32, _ source: any EventSource, _ interest: Interest) {
        poller.add(descriptor, source, interest)
    }

    /// Watches a descriptor for something else.
    func change(_ descriptor: Int32, _ interest: Interest) {
        poller.change(descriptor, interest)
    }

    /// Stops watching a descriptor; call it before closing it.
    func remove(_ descriptor: Int32) {
        withExtendedLifetime(poller.remove(descriptor)) {}
    }

    /// Calls the source once when this turn ends.
    func atTurnEnd(_ source: any TurnEndSource) {
        flushes.append(source)
    }

    /// Lends the read buffer; it must not be kept, and not be asked for within the call.
    func withReadBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        body(readBuffer)
    }

    // MARK: Turns

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopping {
            if !hasDescriptors { openDescriptors() }
            let events = wait()
            let begin = now
            runInbox()
            for event in events { serve(event) }
            // Not those that became due meanwhile: what came before them is heard first, in the next turn,
            // however long this one took.
            runTimers(dueAt: begin)
            runTurnEnd()
        }
        drop()
        thread.store(0, ordering: .relaxed)
    }

    private var hasDescriptors: Bool { poller.isOpen && bell.load(ordering: .relaxed) >= 0 }

    /// Makes what the loop lacks, as far as there are descriptors.
    private func openDescriptors() {
        poller.open()
        guard poller.isOpen, bell.load(ordering: .relaxed) < 0 else { return }
        let descriptor = divan_bell_create()
        guard descriptor >= 0 else { return }
        poller.add(descriptor, Bell(descriptor: descriptor), .reading)
        // Before the loop looks into its inbox: who comes behind that look finds the bell.
        bell.store(descriptor, ordering: .sequentiallyConsistent)
    }

    /// Waits for events, work or a timer; without a bell no longer than until the next look.
    private func wait() -> ArraySlice<divan_event> {
        let milliseconds = waitingTime()
        guard !hasDescriptors else { return poller.wait(milliseconds: milliseconds) }
        let longest = TransportLimits.blindTurnMilliseconds
        let bounded = milliseconds < 0 ? longest : min(milliseconds, longest)
        guard !poller.isOpen else { return poller.wait(milliseconds: bounded) }
        poll(nil, 0, bounded)
        return []
    }

    /// Lets go of everything that will not be any more.
    ///
    /// It may use the loop as it goes, so it goes when nothing here is being changed.
    private func drop() {
        let work = inbox.withLock { inbox in
            inbox.isOpen = false
            defer { inbox.work = [] }
            return inbox.work
        }
        let timers = timers
        self.timers = TimerQueue()
        // Sources hold their loop; what it still watches would keep both for ever.
        let sources = poller.removeAll()
        withExtendedLifetime((work, timers, sources)) {}
    }

    private func waitingTime() -> Int32 {
        let hasWork = inbox.withLock { inbox in
            // From here on other threads must ring: the next look comes after the wait.
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

    private func serve(_ event: divan_event) {
        if event.flags & (divan_event_writable | divan_event_failed) != 0 {
            poller.source(event.data)?.isWritable()
        }
        if event.flags & (divan_event_readable | divan_event_failed) != 0 {
            poller.source(event.data)?.isReadable()
        }
    }

    private func runInbox() {
        let work = inbox.withLock { inbox in
            defer { inbox.work = [] }
            return inbox.work
        }
        for item in work { item() }
    }

    private func runTimers(dueAt time: Duration) {
        // A timer that sets another one leaves it to the next turn, so that turns end.
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
        let bell = bell.load(ordering: .sequentiallyConsistent)
        guard bell >= 0 else { return }
        var one: UInt64 = 1
        write(bell, &one, 8)
    }
}

/// Something that acts once when a turn of the loop ends.
protocol TurnEndSource: AnyObject {
    func turnDidEnd()
}

/// Empties the counter that wakes the loop.
private final class Bell: EventSource {
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func isReadable() {
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }

    func isWritable() {}
}

/// Starts a detached thread that runs `body` once; `false` when the system has none left.
func startThread(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var thread = pthread_t()
    // The thread takes over the reference that is retained here, exactly once.
    let start = Unmanaged.passRetained(Start(name, body))
    let status = pthread_create(
        &thread,
        nil,
        { argument in
            guard let argument else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            divan_name_thread(String(start.name.prefix(15)))
            start.body()
            return nil
        },
        start.toOpaque()
    )
    guard status == 0 else {
        start.release()
        return false
    }
    pthread_detach(thread)
    return true
}

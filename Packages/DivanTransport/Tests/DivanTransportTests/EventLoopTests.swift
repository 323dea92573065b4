import Dispatch
import DivanTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct EventLoopTests {
    @Test
    func `runs the work of one thread in order, on its own thread`() async {
        let loop = EpollLoop()
        let seen = Mutex<[Int]>([])
        #expect(!loop.isCurrent)
        await withCheckedContinuation { continuation in
            for number in 0..<1000 {
                loop.execute {
                    seen.withLock { $0.append(loop.isCurrent ? number : -1) }
                    if number == 999 { continuation.resume() }
                }
            }
        }
        #expect(seen.withLock { $0 } == Array(0..<1000))
        loop.stop()
    }

    @Test
    func `never runs work inside the call that submits it`() async {
        let loop = EpollLoop()
        let isNested = await withCheckedContinuation { continuation in
            loop.execute {
                let isInside = Mutex(true)
                loop.execute { continuation.resume(returning: isInside.withLock { $0 }) }
                isInside.withLock { $0 = false }
            }
        }
        #expect(!isNested)
        loop.stop()
    }

    @Test
    func `work that stays on a loop needs no locks`() async {
        let loop = EpollLoop()
        let count = await withCheckedContinuation { continuation in
            loop.execute {
                var count = 0
                loop.executeHere { count += 1 }
                loop.scheduleHere(at: loop.now + .milliseconds(1)) {
                    continuation.resume(returning: count)
                }
            }
        }
        #expect(count == 1)
        loop.stop()
    }

    @Test
    func `binding a value to a loop from another thread stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = LoopBound(1, to: EpollLoop())
        }
    }

    /// Hands over work, sets a timer and cancels it when it is released.
    private final class Parting: Sendable {
        private let loop: EpollLoop
        private let didGo: @Sendable () -> Void

        init(_ loop: EpollLoop, _ didGo: @escaping @Sendable () -> Void) {
            self.loop = loop
            self.didGo = didGo
        }

        deinit {
            loop.execute {}
            loop.cancel(loop.schedule(at: loop.now) {})
            didGo()
        }
    }

    @Test(arguments: [true, false])
    func `work dropped by a stopped loop can use the loop while it is released`(isTimer: Bool) async
    {
        let loop = EpollLoop()
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.stop()
                // In the turn in which the loop stops, so that what it hands over is dropped.
                loop.execute {
                    let parting = Parting(loop) { continuation.resume() }
                    if isTimer {
                        loop.schedule(at: loop.now + .seconds(60)) {
                            withExtendedLifetime(parting) {}
                        }
                    } else {
                        loop.execute { withExtendedLifetime(parting) {} }
                    }
                }
            }
        }
    }

    @Test
    func `values held by a cancelled timer can use the loop while they are released`() async {
        let loop = EpollLoop()
        await withCheckedContinuation { continuation in
            loop.execute {
                let timer = loop.schedule(at: loop.now + .seconds(60)) {
                    [parting = Parting(loop) { continuation.resume() }] in
                    withExtendedLifetime(parting) {}
                }
                loop.cancel(timer)
            }
        }
        loop.stop()
    }

    @Test
    func `runs timers by deadline and drops cancelled ones`() async {
        let loop = EpollLoop()
        let seen = Mutex<[String]>([])
        await withCheckedContinuation { continuation in
            loop.execute {
                let now = loop.now
                let note = { @Sendable (text: String) in seen.withLock { $0.append(text) } }
                loop.schedule(at: now + .milliseconds(9)) {
                    note("late")
                    continuation.resume()
                }
                loop.schedule(at: now + .milliseconds(3)) { note("early") }
                let cancelled = loop.schedule(at: now + .milliseconds(4)) { note("cancelled") }
                loop.schedule(at: now + .milliseconds(3)) { note("second early") }
                loop.schedule(at: .zero) { note("overdue") }
                loop.cancel(cancelled)
            }
        }
        #expect(seen.withLock { $0 } == ["overdue", "early", "second early", "late"])
        loop.stop()
    }

    @Test
    func `timers can be scheduled and cancelled from any thread by the thousands`() async {
        let loop = EpollLoop()
        let count = Atomic<Int>(0)
        let deadline = loop.now
        let gate = DispatchSemaphore(value: 0)
        // The loop waits at the gate, so that no timer runs before it is cancelled.
        await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume()
                gate.wait()
            }
        }
        let tokens = (0..<4000).map { _ in
            loop.schedule(at: deadline) { count.add(1, ordering: .relaxed) }
        }
        for (index, token) in tokens.enumerated() where index % 4 != 0 { loop.cancel(token) }
        gate.signal()
        await withCheckedContinuation { continuation in
            loop.schedule(at: deadline + .milliseconds(1)) { continuation.resume() }
        }
        #expect(count.load(ordering: .relaxed) == 1000)
        loop.stop()
    }

    @Test
    func `a timer is never early`() async {
        let loop = EpollLoop()
        for wait in [0, 1, 3, 7] {
            let deadline = loop.now + .milliseconds(wait)
            let time = await withCheckedContinuation { continuation in
                loop.schedule(at: deadline) { continuation.resume(returning: loop.now) }
            }
            #expect(time >= deadline)
        }
        loop.stop()
    }

    @Test
    func `distributes connections to the loops of a group in turn`() {
        let group = EventLoopGroup(count: 3)
        let names = (0..<6).map { _ in ObjectIdentifier(group.next()) }
        #expect(Set(names.prefix(3)).count == 3)
        #expect(names.prefix(3) == names.suffix(3))
        group.stop()
    }

    @Test
    func `assigns the other end of a connection to another loop if there is one`() {
        let (pair, alone) = (EventLoopGroup(count: 2), EventLoopGroup(count: 1))
        for loop in pair.loops { #expect(pair.next(besides: loop) !== loop) }
        for loop in alone.loops { #expect(alone.next(besides: loop) === loop) }
        pair.stop()
        alone.stop()
    }
}

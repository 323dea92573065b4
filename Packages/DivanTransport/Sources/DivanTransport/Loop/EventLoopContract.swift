import Synchronization

/// The requirements for every event loop, as a check for any test framework.
public enum EventLoopContract {
    /// Returns one sentence for each violated requirement; none if the loop is correct.
    ///
    /// Runs for a fraction of a second on a correct loop.
    ///
    /// - Parameters:
    ///   - loop: A loop that runs, or that `turn` advances.
    ///   - patience: The time to wait for each requirement.
    ///   - turn: Advances a loop without a thread, and its virtual time.
    /// - Returns: The violated requirements.
    public static func violations(
        of loop: any EventLoop,
        patience: Duration = .seconds(5),
        turning turn: (@Sendable () -> Void)? = nil
    ) async -> [String] {
        let wait = ContractTimeout(limit: patience, turn: turn)
        var violations = loop.isCurrent ? ["isCurrent must be false outside the loop."] : []
        for check in [order, nesting, timers, cancelling, threads] {
            violations += await check(loop, wait)
        }
        return violations
    }

    /// What happened, in order, and whether on the loop.
    private final class Journal: Sendable {
        private let state = Mutex<(lines: [String], isElsewhere: Bool)>(([], false))

        var lines: [String] { state.withLock { $0.lines } }
        var isElsewhere: Bool { state.withLock { $0.isElsewhere } }

        func write(_ line: String, on loop: any EventLoop) {
            state.withLock { state in
                state.lines.append(line)
                if !loop.isCurrent { state.isElsewhere = true }
            }
        }
    }

    private static func order(_ loop: any EventLoop, _ wait: ContractTimeout) async -> [String] {
        let journal = Journal()
        for number in 0..<100 { loop.execute { journal.write("\(number)", on: loop) } }
        guard await wait.until({ journal.lines.count == 100 }) else {
            return ["All submitted work must run."]
        }
        var violations: [String] = []
        if journal.lines != (0..<100).map(String.init) {
            violations.append("Work must run in the order of submission.")
        }
        if journal.isElsewhere { violations.append("isCurrent must be true on the loop.") }
        return violations
    }

    private static func nesting(_ loop: any EventLoop, _ wait: ContractTimeout) async -> [String] {
        let journal = Journal()
        loop.execute {
            loop.execute { journal.write("work", on: loop) }
            loop.schedule(at: .zero) { journal.write("timer", on: loop) }
            journal.write("caller", on: loop)
        }
        guard await wait.until({ journal.lines.count == 3 }) else {
            return ["Work submitted from the loop and timers that are due must run."]
        }
        return journal.lines.first == "caller"
            ? [] : ["Work must not run inside the call that submits it."]
    }

    private static func timers(_ loop: any EventLoop, _ wait: ContractTimeout) async -> [String] {
        let journal = Journal()
        let start = loop.now
        let delays = [30, 10, 20, 10, 0]
        for (index, delay) in delays.enumerated() {
            let deadline = start + .milliseconds(delay)
            loop.schedule(at: deadline) {
                if loop.now < deadline { journal.write("early", on: loop) }
                journal.write("\(index)", on: loop)
            }
        }
        guard await wait.until({ journal.lines.count >= delays.count }) else {
            return ["A timer must run when it is due."]
        }
        var violations = loop.now < start ? ["A loop's time must never go back."] : []
        if journal.lines.contains("early") {
            violations.append("A timer must not run before it is due.")
        } else if journal.lines != ["4", "1", "3", "2", "0"] {
            violations.append("Timers must run by time, then in the order of scheduling.")
        }
        return violations
    }

    private static func cancelling(
        _ loop: any EventLoop,
        _ wait: ContractTimeout
    ) async -> [String] {
        let journal = Journal()
        let cancelled = loop.schedule(at: loop.now + .milliseconds(5)) {
            journal.write("cancelled", on: loop)
        }
        loop.cancel(cancelled)
        let token = loop.schedule(at: loop.now + .milliseconds(5)) {
            journal.write("kept", on: loop)
        }
        _ = await wait.until { journal.lines.contains("kept") }
        loop.cancel(token)
        await wait.rest()
        var violations = token == cancelled ? ["Timers must have unique tokens."] : []
        if journal.lines.contains("cancelled") {
            violations.append("A cancelled timer must not run.")
        }
        if !journal.lines.contains("kept") {
            violations.append("Cancelling a timer must not affect other timers.")
        }
        return violations
    }

    private static func threads(_ loop: any EventLoop, _ wait: ContractTimeout) async -> [String] {
        let journal = Journal()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        loop.execute { journal.write("\(thread) \(number)", on: loop) }
                    }
                }
            }
        }
        guard await wait.until({ journal.lines.count == 400 }) else {
            return ["All work submitted by several threads must run."]
        }
        let isOrdered = (0..<8).allSatisfy { thread in
            journal.lines.filter { $0.hasPrefix("\(thread) ") }
                == (0..<50).map { "\(thread) \($0)" }
        }
        return isOrdered ? [] : ["Work from each thread must run in order."]
    }
}

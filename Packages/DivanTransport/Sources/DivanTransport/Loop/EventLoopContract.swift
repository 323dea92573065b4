import Synchronization

/// The requirements for every event loop; check your own with any test framework.
public enum EventLoopContract {
    /// Returns one sentence for each violated requirement; none if the loop is correct.
    ///
    /// Takes a fraction of a second on a correct loop.
    ///
    /// - Parameters:
    ///   - loop: A loop that runs, or is turned by `turn`.
    ///   - patience: How long to wait for each requirement.
    ///   - turn: Turns a loop that has no thread of its own and advances its virtual time.
    /// - Returns: The violated requirements.
    public static func violations(
        of loop: any EventLoop,
        patience: Duration = .seconds(5),
        turning turn: (@Sendable () -> Void)? = nil
    ) async -> [String] {
        let wait = ContractPatience(limit: patience, turn: turn)
        var violations = loop.isCurrent ? ["A caller from elsewhere is not on the loop."] : []
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

    private static func order(_ loop: any EventLoop, _ wait: ContractPatience) async -> [String] {
        let journal = Journal()
        for number in 0..<100 { loop.execute { journal.write("\(number)", on: loop) } }
        guard await wait.until({ journal.lines.count == 100 }) else {
            return ["All work that is handed over runs."]
        }
        var violations: [String] = []
        if journal.lines != (0..<100).map(String.init) {
            violations.append("Work runs in the order in which it was handed over.")
        }
        if journal.isElsewhere { violations.append("isCurrent is true in work of the loop.") }
        return violations
    }

    private static func nesting(_ loop: any EventLoop, _ wait: ContractPatience) async -> [String] {
        let journal = Journal()
        loop.execute {
            loop.execute { journal.write("work", on: loop) }
            loop.schedule(at: .zero) { journal.write("timer", on: loop) }
            journal.write("caller", on: loop)
        }
        guard await wait.until({ journal.lines.count == 3 }) else {
            return ["Work that work hands over runs, and a timer whose time has passed."]
        }
        return journal.lines.first == "caller"
            ? [] : ["Nothing runs within the call that hands it over."]
    }

    private static func timers(_ loop: any EventLoop, _ wait: ContractPatience) async -> [String] {
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
            return ["A timer runs once its time has come."]
        }
        var violations = loop.now < start ? ["The time of a loop never goes back."] : []
        if journal.lines.contains("early") {
            violations.append("A timer runs when now has reached its time, and not before.")
        } else if journal.lines != ["4", "1", "3", "2", "0"] {
            violations.append("Timers run by time, those of one time in the order of setting.")
        }
        return violations
    }

    private static func cancelling(
        _ loop: any EventLoop,
        _ wait: ContractPatience
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
        var violations = token == cancelled ? ["Two timers have two tokens."] : []
        if journal.lines.contains("cancelled") {
            violations.append("A cancelled timer never runs.")
        }
        if !journal.lines.contains("kept") {
            violations.append("To cancel one timer leaves the others.")
        }
        return violations
    }

    private static func threads(_ loop: any EventLoop, _ wait: ContractPatience) async -> [String] {
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
            return ["Work that several threads hand over at once runs, all of it."]
        }
        let isOrdered = (0..<8).allSatisfy { thread in
            journal.lines.filter { $0.hasPrefix("\(thread) ") }
                == (0..<50).map { "\(thread) \($0)" }
        }
        return isOrdered ? [] : ["The work of each thread runs in its order."]
    }
}

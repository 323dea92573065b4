import DivanBLIP
import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization

/// Observes the attacked process during an attack: how long a good client waits
/// for a reply, how much resident memory it uses, how many descriptors are open.
final class Watch {
    /// The worst values during one attack.
    struct Figures {
        var milliseconds = 0.0
        var byteCount = 0
        var descriptorCount = 0

        /// What must be satisfied for a good client and a small machine.
        func isGood(within milliseconds: Double) -> Bool {
            self.milliseconds < milliseconds && byteCount < 256 << 20 && descriptorCount < 256
        }

        var text: String {
            String(format: "worst answer %.0f ms, ", milliseconds)
                + "memory \(byteCount >> 20) MiB, \(descriptorCount) descriptors"
        }
    }

    private final class Worst: Sendable {
        let figures = Mutex(Figures())
        let isOver = Atomic<Bool>(false)
        let running = Atomic<Int>(0)
    }

    private let attacked: AttackedProcess
    private let worst = Worst()

    /// Starts to observe; good clients send a request every few milliseconds, one on each loop of the listener.
    init(_ attacked: AttackedProcess) throws {
        self.attacked = attacked
        for number in 0..<4 { try startClient("127.0.11.\(1 + number)") }
        startSampler()
    }

    /// Stops, and returns the worst values.
    func end() -> Figures {
        worst.isOver.store(true, ordering: .relaxed)
        while worst.running.load(ordering: .relaxed) > 0 { Thread.sleep(forTimeInterval: 0.005) }
        return worst.figures.withLock { $0 }
    }

    private func startClient(_ source: String) throws {
        let place = attacked.passwords
        let visitor = Handed(try AttackClient(place, from: source))
        guard visitor.value.open().hasPrefix("[{") else { throw AttackFailure("no collection") }
        run { worst in
            let question: BLIPProperties = [
                "Profile": "getCheckpoint", "collection": "0", "client": "none",
            ]
            let start = Date()
            let isAnswered = visitor.value.ask(question) != nil
            let elapsed = isAnswered ? Date().timeIntervalSince(start) * 1_000 : 60_000
            worst.figures.withLock { $0.milliseconds = max($0.milliseconds, elapsed) }
            return isAnswered
        }
    }

    private func startSampler() {
        let process = "/proc/\(attacked.processIdentifier)"
        let pageByteCount = CurrentProcess.pageByteCount
        run { worst in
            let fields = (try? String(contentsOfFile: process + "/statm", encoding: .utf8))?
                .split(separator: " ")
            let pageCount = fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0
            let names = try? FileManager.default.contentsOfDirectory(atPath: process + "/fd")
            worst.figures.withLock { figures in
                figures.byteCount = max(figures.byteCount, pageCount * pageByteCount)
                figures.descriptorCount = max(figures.descriptorCount, names?.count ?? 0)
            }
            return true
        }
    }

    /// Repeats a step on its own thread until the watch ends or the step returns false.
    private func run(_ step: @escaping @Sendable (Worst) -> Bool) {
        worst.running.add(1, ordering: .relaxed)
        Thread.detachNewThread { [worst] in
            while !worst.isOver.load(ordering: .relaxed), step(worst) {
                Thread.sleep(forTimeInterval: 0.005)
            }
            worst.running.subtract(1, ordering: .relaxed)
        }
    }
}

/// A value that one thread creates and another one uses from then on.
private struct Handed<Value>: @unchecked Sendable {
    // Unchecked: the creator does not use it any more once the other thread has begun.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

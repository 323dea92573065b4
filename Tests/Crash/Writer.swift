import DivanDatabase
import DivanPlatform
import Foundation

/// The process that is killed: three threads that write, and report each step on standard output.
struct Writer {
    let directory: String
    let seed: UInt64
    let kind: DatabaseKind

    /// Continues from the given step of each lane until the process is killed.
    func run(from next: [UInt64]) throws {
        let store = try Store.open(
            directory: directory,
            options: try kind.options(create: true)
        )
        for (lane, first) in zip(Lane.all, next) {
            Thread { write(lane, from: first, to: store) }.start()
        }
        while true { CurrentThread.waitForSignal() }
    }

    private func write(_ lane: Lane, from first: UInt64, to store: Store) {
        var step = first
        while true {
            do {
                try Operation(seed: seed, lane: lane, step: step).perform(on: store)
            } catch {
                let text = "lane \(lane.number), step \(step): \(error)\n"
                FileHandle.standardError.write(Data(text.utf8))
                CurrentProcess.exit(3)
            }
            // One call, short enough for a pipe to take at once, so that lines of threads do not mix.
            FileHandle.standardOutput.write(Data("\(lane.number) \(step)\n".utf8))
            step += 1
        }
    }
}

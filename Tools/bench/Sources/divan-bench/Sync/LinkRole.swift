import DivanLinks
import DivanTestKit

/// The process that simulates a slow link between two peers: prints its port, and runs
/// until its input ends.
struct LinkRole {
    private let proxy: LinkProxy

    /// Takes the words `MEGABITS MILLISECONDS`: the rate, and the latency in each direction.
    init(_ words: [String]) throws {
        guard words.count == 2, let megabits = Double(words[0]), let latency = Double(words[1]),
            megabits > 0, latency >= 0
        else { throw BenchFailure("role link requires MEGABITS MILLISECONDS") }
        proxy = try LinkProxy(
            bytesPerSecond: megabits * 125_000,
            latency: .milliseconds(latency)
        )
    }

    func run() throws {
        say("\(proxy.port)")
        ProcessRole.answer { _ in 0 }
    }
}

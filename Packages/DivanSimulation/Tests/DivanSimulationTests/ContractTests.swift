import DivanSimulation
import DivanTestKit
import DivanTransport
import Synchronization
import Testing

/// The seams that this package implements.
@Suite(.timeLimit(.minutes(5))) struct ContractTests {
    @Test
    func `a virtual event loop meets the contract`() async {
        let loop = VirtualLoop()
        let violations = await EventLoopContract.violations(of: loop) {
            loop.run(for: .milliseconds(10))
        }
        #expect(violations == [])
    }

    @Test
    func `a simulated connection meets the contract`() async throws {
        let loop = VirtualLoop()
        let network = SimulatedNetwork(loop: loop, random: SeededGenerator(seed: 5))
        let turn: @Sendable () -> Void = { loop.run(for: .seconds(1)) }
        let violations = try await MessageTransportContract.violations(turning: turn) {
            first,
            second in
            let accepted = Mutex<(any MessageTransport)?>(nil)
            network.listen(at: "hub") { transport in
                accepted.withLock { $0 = transport }
                transport.start(second)
            }
            let client = network.makeTransport(from: "a", to: "hub", subprotocols: ["x"])
            client.start(first)
            loop.run(for: .seconds(1))
            return (client, try #require(accepted.withLock { $0 }))
        }
        #expect(violations == [])
    }
}

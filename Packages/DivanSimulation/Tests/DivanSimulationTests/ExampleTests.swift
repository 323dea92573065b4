import DivanSimulation
import DivanTestKit
import DivanTransport
import Testing

@Suite struct ExampleTests {
    @Test
    func `the README's simulation works`() {
        let loop = VirtualLoop()
        let random = SeededGenerator(seed: 7)  // of DivanTestKit; any generator will do
        let network = SimulatedNetwork(loop: loop, random: random, conditions: .rough)
        network.listen(at: "hub") { transport in transport.start(Echo(transport)) }

        let client = network.makeTransport(from: "phone", to: "hub", subprotocols: ["example"])
        let receiver = Recorder(onOpen: { client.send([1, 2, 3]) })
        client.start(receiver)
        loop.run(for: .seconds(3600))
        #expect(receiver.events.messages == [[1, 2, 3]])
        #expect(receiver.events.close != nil)
    }
}

/// Sends every message back.
private final class Echo: MessageReceiver {
    private let transport: any MessageTransport

    init(_ transport: any MessageTransport) {
        self.transport = transport
    }

    func transportDidOpen(_ peer: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) { transport.send(message.span) }
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}

import DivanTLS
import Foundation
import Testing

/// The README's example, verbatim.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let store = InMemoryIdentityStore()
        let identity = try AnonymousIdentity.credential(in: store, label: "db", now: Date())
        let server = try TLSSession(.server(ServerTLSConfiguration(credential: identity)))
        let pin = ClientTLSConfiguration(serverTrust: .pinned(identity.leaf))
        let client = try TLSSession(.client(pin), serverName: "localhost")

        var (wire, received): ([UInt8], [UInt8]) = ([], [])
        for (sender, receiver) in [(client, server), (server, client), (client, server)] {
            sender.takeOutput(appendingTo: &wire)
            try receiver.receive(wire.span, appendingTo: &received)
            wire.removeAll(keepingCapacity: true)
        }
        try client.send([1, 2, 3].span)  // both are open; the next takeOutput has a record

        #expect(client.state == .open && server.state == .open)
        #expect(client.hasOutput && received == [])
    }
}

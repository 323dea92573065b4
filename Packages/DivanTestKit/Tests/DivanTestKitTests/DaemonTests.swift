import DivanPlatform
import Testing

// Daemons implement `PrivateAvahi`, and are of no use to other packages.
@testable import DivanTestKit

/// Daemons start, report when they are ready, and end with the process that started them.
@Suite(.timeLimit(.minutes(5))) struct DaemonTests {
    @Test func `stopping a daemon ends its process`() throws {
        let daemon = try Daemon(["/bin/sh", "-c", "echo ready $$; exec sleep 600"], [:])
        let said = try daemon.wait(for: ["ready"])
        let number = try #require(Int32(said.dropFirst("ready ".count).dropLast()))
        #expect(Signal(0).send(to: number))
        daemon.stop()
        #expect(!Signal(0).send(to: number))
    }

    @Test func `a daemon that ends early reports its output`() throws {
        let daemon = try Daemon(["/bin/sh", "-c", "echo no luck"], [:])
        let error = #expect(throws: Daemon.NotReady.self) { try daemon.wait(for: ["ready"]) }
        #expect(error?.description == "/bin/sh exited: no luck\n")
        daemon.stop()
    }
}

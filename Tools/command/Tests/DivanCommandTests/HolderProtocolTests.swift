import DivanPlatform
import Testing

@testable import DivanCommand

/// How the process that holds a database reacts to unknown words.
@Suite(.timeLimit(.minutes(5))) struct HolderProtocolTests {
    @Test func `an incomplete line times out`() throws {
        let (own, other) = try Socket.pair()
        defer { own.close() }
        defer { other.close() }
        own.setTimeouts(receiving: 1)
        try #require(other.sendAll(Array("{".utf8)))
        var reader = HolderProtocol.Reader(own)
        let line = reader.next()
        #expect(line == nil)
    }

    @Test func `an unknown option from another version is rejected with a message`() {
        // 2 was the exit code of a usage error, and nothing was printed.
        #expect(Program.runHeld(["put", "--of-tomorrow", "a", "x", "{}"]) == 5)
    }
}

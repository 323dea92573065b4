import Glibc
import Testing

@testable import DivanCommand

/// How the process that holds a database reacts to unknown words.
@Suite(.timeLimit(.minutes(1))) struct HolderProtocolTests {
    @Test func `an incomplete line times out`() throws {
        var ends: [Int32] = [-1, -1]
        let status = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        try #require(status == 0)
        defer { for end in ends { close(end) } }
        var patience = timeval(tv_sec: 0, tv_usec: 50_000)
        let byteCount = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, byteCount)
        let count = write(ends[1], "{", 1)
        try #require(count == 1)
        var reader = HolderProtocol.Reader(ends[0])
        let line = reader.next()
        #expect(line == nil)
    }

    @Test func `an unknown option from another version is rejected with a message`() {
        // 2 was the exit code of a usage error, and nothing was printed.
        #expect(Program.runHeld(["put", "--of-tomorrow", "a", "x", "{}"]) == 5)
    }
}

import DivanPlatform
import Testing

@testable import DivanTransport

/// Who is notified of network changes, and how often.
///
/// `@testable`: a pipe replaces the system's socket, because a test must not change the network.
@Suite(.timeLimit(.minutes(5))) struct NetworkChangesTests {
    private struct Pipe {
        let reading: FileDescriptor
        let writing: FileDescriptor

        init() throws {
            (reading, writing) = try FileDescriptor.pipe()
            reading.setNonBlocking()
        }

        func change() {
            try? writing.writeAll([1])
        }
    }

    /// Keeps another observation as long as it lives itself.
    private final class Keeper: Sendable {
        private let observation: NetworkObservation

        init(_ changes: NetworkChanges) {
            observation = changes.observe {}
        }
    }

    @Test func `an observer can remove another observer while it is released`() {
        let changes = NetworkChanges()
        let first = changes.observe { [keeper = Keeper(changes)] in
            withExtendedLifetime(keeper) {}
        }
        withExtendedLifetime(first) {}
    }

    @Test func `a burst of changes is reported once, to all remaining observers`() async throws {
        let pipe = try Pipe()
        let loop = EpollLoop(name: "test")
        let changes = NetworkChanges(
            descriptor: pipe.reading,
            loop: loop,
            quietTime: .milliseconds(100)
        )
        let (heard, continuation) = AsyncStream.makeStream(of: String.self)
        let first = changes.observe { continuation.yield("first") }
        var second: NetworkObservation? = changes.observe { continuation.yield("second") }
        #expect(second != nil)
        second = nil
        for _ in 0..<20 { pipe.change() }

        var told: [String] = []
        for await name in heard {
            told.append(name)
            if told.count == 2 { break }
            pipe.change()  // the next burst
        }
        #expect(told == ["first", "first"])
        withExtendedLifetime(first) { loop.stop() }
        pipe.writing.close()
    }

    /// Reports when it is released, which happens once its loop has released it.
    private final class Source: EventSource {
        private let life: AsyncStream<Never>.Continuation

        init(_ life: AsyncStream<Never>.Continuation) {
            self.life = life
        }

        deinit {
            life.finish()
        }

        func isReadable() {}
        func isWritable() {}
    }

    @Test func `a stopped loop releases what it watched`() async throws {
        let pipe = try Pipe()
        let loop = EpollLoop(name: "test")
        let (life, continuation) = AsyncStream.makeStream(of: Never.self)
        loop.execute { loop.add(pipe.reading, Source(continuation), .reading) }
        loop.stop()
        for await _ in life {}
        pipe.reading.close()
        pipe.writing.close()
    }

    @Test func `without a descriptor nothing is reported and nothing fails`() {
        let changes = NetworkChanges(descriptor: nil, loop: EventLoopGroup.shared.next())
        let observation = changes.observe {}
        withExtendedLifetime(observation) {}
    }
}

import Dispatch
import DivanPlatform
import Synchronization
import Testing

@testable import DivanTransport

/// A process that has no descriptor left, and gets some later.
///
/// In separate processes, whose limit is lowered. `@testable`: a pipe replaces a connection.
@Suite(.timeLimit(.minutes(5))) struct OutOfDescriptorsTests {
    /// Opens all the descriptors that this process may still open.
    ///
    /// Only after Dispatch has opened those for its first work, on its own thread: if that fails, it ends the process.
    private static func takeAll() async -> [FileDescriptor] {
        await withCheckedContinuation { continuation in
            let queue = DispatchQueue(label: "first")
            queue.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
        }
        limitDescriptors(to: descriptorCount() + 8)
        var taken: [FileDescriptor] = []
        while let descriptor = try? FileDescriptor.open("/dev/null", .readOnly) {
            taken.append(descriptor)
        }
        return taken
    }

    /// Reads what arrives, and reports it.
    private final class Reader: EventSource {
        private let descriptor: FileDescriptor
        private let didRead: () -> Void

        init(_ descriptor: FileDescriptor, _ didRead: @escaping () -> Void) {
            self.descriptor = descriptor
            self.didRead = didRead
        }

        func isReadable() {
            if (try? descriptor.read(upTo: 1))?.count == 1 { didRead() }
        }

        func isWritable() {}
    }

    @Test func `a loop without descriptors runs work and timers, and starts watching later`() async
    {
        await #expect(processExitsWith: .success) {
            let (reading, writing) = try FileDescriptor.pipe()
            let taken = await Self.takeAll()
            try #require(!taken.isEmpty)
            let loop = EpollLoop()
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume() }
            }
            await withCheckedContinuation { continuation in
                loop.schedule(at: loop.now + .milliseconds(1)) { continuation.resume() }
            }
            await withCheckedContinuation { continuation in
                loop.execute {
                    let reader = Reader(reading) {
                        loop.remove(reading)
                        continuation.resume()
                    }
                    loop.add(reading, reader, .reading)
                    for descriptor in taken { descriptor.close() }
                    try? writing.writeAll([1])
                }
            }
            // By now it has a wakeup, which it needs while there is nothing else to wait for.
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume() }
            }
            loop.stop()
        }
    }

    @Test func `delayed work runs even without descriptors`() async {
        await #expect(processExitsWith: .success) {
            let taken = await Self.takeAll()
            try #require(!taken.isEmpty)
            await withCheckedContinuation { continuation in
                Later.run(after: .milliseconds(1), on: DispatchQueue(label: "test")) {
                    continuation.resume()
                }
            }
        }
    }

    @Test func `delayed work runs on its queue, whatever the delay`() async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        Later.run(after: .seconds(31_557_600_000), on: queue) {}
        let isThere = await withCheckedContinuation { continuation in
            Later.run(after: .milliseconds(1), on: queue) {
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(isThere)
    }
}

import Dispatch
import DivanAuth
import DivanPlatform
import DivanTransport
import Testing

@testable import DivanREST

/// The share of a server's threads that one client may use.
@Suite struct FairQueueTests {
    private func address(_ host: String) throws -> SocketAddress {
        try #require(SocketAddress(host: host, port: 1))
    }

    @Test func `a user has one queue, and anonymous clients one for each address`() throws {
        let queues = FairQueues(RESTLimits())
        let (near, far) = (try address("192.0.2.1"), try address("192.0.2.2"))
        let ann = queues.queue(of: "ann", at: near)
        #expect(ann === queues.queue(of: "ann", at: far))
        #expect(ann !== queues.queue(of: "bob", at: near))
        let stranger = queues.queue(at: near)
        #expect(stranger === queues.queue(at: near))
        #expect(stranger !== queues.queue(at: far))
        #expect(stranger !== queues.queue(of: "192.0.2.1", at: near))
    }

    @Test func `large bodies are processed two at a time, and one for each client`() throws {
        let queues = FairQueues(RESTLimits())
        let (near, loopback) = (try address("192.0.2.1"), try address("127.0.0.1"))
        #expect(queues.queue(at: loopback, forBodyOf: 20 << 20) === queues.large)
        #expect(queues.queue(at: loopback, forBodyOf: 1 << 20) === queues.whole)
        let (end, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        /// Long queries with large bodies, which wait for the end.
        func ask(_ user: String, _ count: Int) {
            let queue = queues.queue(of: user, at: near, forBodyOf: 20 << 20)
            for _ in 0..<count { queue.async { end.wait() } }
        }
        func isServed(_ user: String) -> Bool {
            queues.queue(of: user, at: near, forBodyOf: 20 << 20).async { done.signal() }
            return done.wait(timeout: .now() + 20) == .success
        }
        ask("ann", 5)
        #expect(isServed("bob"), "who asks for much leaves some to the others")
        ask("cem", 1)
        queues.queue(of: "dora", at: near, forBodyOf: 20 << 20).async { done.signal() }
        #expect(done.wait(timeout: .now() + 0.2) == .timedOut, "there are no more than two")
        for _ in 0..<6 { end.signal() }
        #expect(done.wait(timeout: .now() + 20) == .success)
    }

    @Test func `queries leave threads for other requests and other clients`() throws {
        let queues = FairQueues(RESTLimits())
        let (near, loopback) = (try address("192.0.2.1"), try address("127.0.0.1"))
        let (end, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        /// Queries that wait for the end.
        func ask(_ queue: WorkQueue, _ count: Int) {
            for _ in 0..<count { queue.async { end.wait() } }
        }
        func isServed(_ queue: WorkQueue) -> Bool {
            queue.async { done.signal() }
            return done.wait(timeout: .now() + 20) == .success
        }
        ask(queues.queue(of: "ann", at: near, isQuery: true), 16)
        #expect(isServed(queues.queue(of: "ann", at: near)))
        #expect(isServed(queues.queue(of: "bob", at: near, isQuery: true)))
        // Everybody on this machine shares a queue.
        ask(queues.queue(at: loopback, isQuery: true), 16)
        #expect(isServed(queues.queue(at: loopback)))
        #expect(isServed(queues.queue(of: "bob", at: near)))
        for _ in 0..<32 { end.signal() }
    }

    @Test func `an IPv6 network counts as one client`() throws {
        let queues = FairQueues(RESTLimits())
        let one = queues.queue(at: try address("2001:db8::1"))
        #expect(one === queues.queue(at: try address("2001:db8::2")))
        #expect(one !== queues.queue(at: try address("2001:db8:0:1::1")))
    }

    @Test func `loopback clients share all threads unless sparesLoopback is off`() throws {
        var limits = RESTLimits()
        let loopback = try address("127.0.0.1")
        let spared = FairQueues(limits)
        #expect(spared.queue(at: loopback) === spared.whole)
        #expect(spared.queue(of: "ann", at: loopback) !== spared.whole)
        limits.logins.sparesLoopback = false
        let counted = FairQueues(limits)
        #expect(counted.queue(at: loopback) !== counted.whole)
    }
}

import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTransport
import Synchronization
import Testing

/// A network that changes bytes, as a web proxy may: connections end, the replication does not.
@Suite struct DamageTests {
    /// Wraps a transport and changes the last byte of messages, which belongs to the checksum: of those
    /// with a body, in one direction, on the first connections.
    private final class DamagingTransport: MessageTransport, MessageReceiver, @unchecked Sendable {
        // Unchecked: touched only on the loop.
        private let inner: any MessageTransport
        private let damagesSent: Bool
        private var receiver: (any MessageReceiver)?

        init(_ inner: any MessageTransport, damagesSent: Bool) {
            self.inner = inner
            self.damagesSent = damagesSent
        }

        var loop: any EventLoop { inner.loop }
        var isWritable: Bool { inner.isWritable }

        func start(_ receiver: any MessageReceiver) {
            self.receiver = receiver
            inner.start(self)
        }

        func send(_ message: Span<UInt8>) {
            let bytes = message.withUnsafeBufferPointer { Array($0) }
            inner.send((damagesSent ? changed(bytes) : bytes).span)
        }

        func close(code: UInt16, reason: String) { inner.close(code: code, reason: reason) }

        func transportDidOpen(_ peer: TransportPeer) { receiver?.transportDidOpen(peer) }
        func transportDidReceive(_ message: ArraySlice<UInt8>) {
            let bytes = damagesSent ? Array(message) : changed(Array(message))
            receiver?.transportDidReceive(bytes[...])
        }
        func transportDidDrainInput() { receiver?.transportDidDrainInput() }
        func transportDidBecomeWritable() { receiver?.transportDidBecomeWritable() }
        func transportDidClose(_ close: TransportClose) {
            receiver?.transportDidClose(close)
            receiver = nil
        }

        private func changed(_ message: [UInt8]) -> [UInt8] {
            guard message.count > 40, let last = message.last else { return message }
            return message.dropLast() + [last ^ 1]
        }
    }

    /// A run whose first three connections change bytes in one of the two directions.
    private func run(isContinuous: Bool, damagesSent: Bool) throws -> VirtualRun {
        let count = Mutex(0)
        var setting = VirtualRun.Setting(isContinuous: isContinuous)
        setting.retry = RetrySchedule(isContinuous: isContinuous)
        setting.change = { configuration in
            let make = configuration.makeTransport
            configuration.makeTransport = { loop in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let transport = try make(loop)
                guard number <= 3 else { return transport }
                return DamagingTransport(transport, damagesSent: damagesSent)
            }
        }
        let run = VirtualRun(setting)
        for (store, id) in [(run.here, "here"), (run.there, "there")] {
            _ = try store.write { writer in
                try writer.save(.init(unchecked: id), in: .default, body: Array("{}".utf8))
            }
        }
        run.run(for: .seconds(100))
        return run
    }

    @Test(arguments: [true, false], [true, false])
    func `corrupted bytes close the connection, and the session reconnects`(
        isContinuous: Bool,
        damagesSent: Bool
    ) throws {
        let run = try run(isContinuous: isContinuous, damagesSent: damagesSent)
        #expect(run.waits == [2, 4, 8], "\(run.statuses.compactMap(\.error))")
        #expect(run.statuses.contains { $0.error?.wireCode == .close(.init(rawValue: 4_001)) })
        #expect(run.statuses.last?.activity == (isContinuous ? .idle : .stopped))
        #expect(run.statuses.last?.error == nil)
        for store in [run.here, run.there] {
            #expect(try store.read { try $0.count(in: .default) } == 2)
        }
    }

    @Test func `a one-shot replication ends after its attempts if bytes are always corrupted`()
        throws
    {
        var setting = VirtualRun.Setting()
        setting.retry = RetrySchedule(attemptCount: 4, isContinuous: false)
        setting.change = { configuration in
            let make = configuration.makeTransport
            configuration.makeTransport = { loop in
                DamagingTransport(try make(loop), damagesSent: false)
            }
        }
        let run = VirtualRun(setting)
        _ = try run.there.write { writer in
            try writer.save("there", in: .default, body: Array("{}".utf8))
        }
        run.run(for: .seconds(1_000))
        #expect(run.waits == [2, 4, 8])
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error?.message.contains("checksum") == true)
        #expect(try run.here.read { try $0.count(in: .default) } == 0, "nothing of it is stored")
    }
}

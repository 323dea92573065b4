import Synchronization

/// Counts the bytes of one connection; read from any thread.
final class ByteCounter: Sendable {
    private let received = Atomic<UInt64>(0)
    private let sent = Atomic<UInt64>(0)

    func didReceive(_ count: Int) { received.wrappingAdd(UInt64(count), ordering: .relaxed) }
    func didSend(_ count: Int) { sent.wrappingAdd(UInt64(count), ordering: .relaxed) }

    var statistics: TransportStatistics {
        var statistics = TransportStatistics()
        statistics.receivedByteCount = received.load(ordering: .relaxed)
        statistics.sentByteCount = sent.load(ordering: .relaxed)
        return statistics
    }
}

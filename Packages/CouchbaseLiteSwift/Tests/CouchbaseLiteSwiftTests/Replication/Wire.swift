import CouchbaseLiteSwift
import Dispatch
import Foundation
import Synchronization

/// One end of a wire; data sent arrives at the other end, in small pieces for byte streams.
final class Wire: MessageEndpointConnection, @unchecked Sendable {
    // Unchecked: both ends are used on one queue.
    private let pieceByteCount: Int
    private let queue: DispatchQueue
    private var other: Wire?
    private var replication: (any ReplicatorConnection)?
    private var waiting: [Data] = []  // sent by the other end before this one was open
    private let received = Mutex(0)

    /// Bytes received from the other end.
    var receivedByteCount: Int { received.withLock { $0 } }

    init(pieceByteCount: Int, queue: DispatchQueue) {
        self.pieceByteCount = pieceByteCount
        self.queue = queue
    }

    static func pair(pieceByteCount: Int) -> (Wire, Wire) {
        let queue = DispatchQueue(label: "wire")
        let first = Wire(pieceByteCount: pieceByteCount, queue: queue)
        let second = Wire(pieceByteCount: pieceByteCount, queue: queue)
        first.other = second
        second.other = first
        return (first, second)
    }

    func open(
        connection: any ReplicatorConnection,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    ) {
        queue.async {
            self.replication = connection
            completion(true, nil)
            for data in self.waiting { connection.receive(message: .fromData(data)) }
        }
    }

    func send(
        message: Message,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    ) {
        queue.async {
            var rest = message.toData()
            while !rest.isEmpty {
                self.other?.arrived(Data(rest.prefix(self.pieceByteCount)))
                rest = Data(rest.dropFirst(self.pieceByteCount))
            }
            completion(true, nil)
        }
    }

    private func arrived(_ data: Data) {
        received.withLock { $0 += data.count }
        guard let replication else { return waiting.append(data) }
        replication.receive(message: .fromData(data))
    }

    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
        queue.async {
            self.other?.replication?.close(error: nil)
            self.other = nil
            completion()
        }
    }

    func fail(isRecoverable: Bool) {
        struct Cut: Error {}
        queue.async {
            let error = MessagingError(error: Cut(), isRecoverable: isRecoverable)
            self.replication?.close(error: error)
        }
    }

    /// Connects each replicator to a listener of the other database.
    final class Delegate: MessageEndpointDelegate, Sendable {
        private let listener: MessageEndpointListener
        private let pieceByteCount: Int
        private let wires = Mutex<[Wire]>([])

        var last: Wire? { wires.withLock { $0.last } }

        init(_ listener: MessageEndpointListener, pieceByteCount: Int) {
            self.listener = listener
            self.pieceByteCount = pieceByteCount
        }

        func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection {
            let (active, passive) = Wire.pair(pieceByteCount: pieceByteCount)
            wires.withLock { $0.append(active) }
            listener.accept(connection: passive)
            return active
        }
    }
}

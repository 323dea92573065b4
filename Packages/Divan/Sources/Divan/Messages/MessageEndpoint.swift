public import Foundation

/// How an application's own transport carries data between peers.
public enum ProtocolType: Sendable {
    /// It preserves message boundaries: each `Message` arrives as it was sent.
    case messageStream
    /// It carries bytes that may be split anywhere; messages are framed within.
    case byteStream
}

/// A peer that the application reaches over its own transport: Bluetooth, a pipe, a test.
///
/// The replicator asks the ``MessageEndpointDelegate`` for a connection each time it connects.
///
/// Source: `behaviour.md` §12.
public final class MessageEndpoint: Endpoint, @unchecked Sendable {
    // Unchecked: `target` and `delegate` are the application's; they are only returned and called, one call at a time,
    // and never changed here.

    /// A name for the peer that never changes; checkpoints are stored under it.
    public let uid: String
    /// Anything that helps the delegate find the peer.
    public let target: Any?
    /// How the transport carries messages.
    public let protocolType: ProtocolType
    /// The object that creates connections.
    public let delegate: any MessageEndpointDelegate

    /// Creates an endpoint.
    public init(
        uid: String,
        target: Any?,
        protocolType: ProtocolType,
        delegate: any MessageEndpointDelegate
    ) {
        self.uid = uid
        self.target = target
        self.protocolType = protocolType
        self.delegate = delegate
    }
}

/// Creates connections for a ``MessageEndpoint``.
public protocol MessageEndpointDelegate: AnyObject {
    /// Returns a new connection that is not open yet. Called on an internal thread; it must be quick.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A connection over the application's own transport.
///
/// The methods are called on an internal thread, one after another; each must call its completion exactly once, from
/// any thread.
public protocol MessageEndpointConnection: AnyObject {
    /// Opens the connection; from then on, pass what arrives to `connection`.
    func open(
        connection: any ReplicatorConnection,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    )
    /// Sends a message, in order.
    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void)
    /// Closes the connection; `error` gives the reason, or is `nil` for a clean close.
    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void)
}

/// The replication's end of a connection; the application passes it what arrives.
public protocol ReplicatorConnection: AnyObject, Sendable {
    /// Delivers a message that arrived, in order. May be called from any thread.
    func receive(message: Message)
    /// Reports that the transport has closed; `nil` means cleanly. May be called from any thread.
    func close(error: MessagingError?)
}

/// Bytes in transit between peers.
public final class Message: Sendable {
    private let data: Data

    init(_ data: Data) {
        self.data = data
    }

    /// Wraps bytes that arrived.
    public class func fromData(_ data: Data) -> Message { Message(data) }

    /// The bytes to carry.
    public func toData() -> Data { data }
}

/// An error of an application's transport.
public struct MessagingError: Error {
    /// The cause.
    public let error: any Error
    /// Whether reconnecting may help: if true, the run is retried (14001); if false, it ends (14002).
    public let isRecoverable: Bool

    /// Creates an error.
    public init(error: any Error, isRecoverable: Bool) {
        self.error = error
        self.isRecoverable = isRecoverable
    }
}

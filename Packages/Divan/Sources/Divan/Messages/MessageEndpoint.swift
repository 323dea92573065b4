public import Foundation

/// How an application's own transport carries what peers say to each other.
public enum ProtocolType: Sendable {
    /// It keeps messages apart: each `Message` arrives as it was sent.
    case messageStream
    /// It carries bytes that may be cut anywhere; messages are framed inside.
    case byteStream
}

/// A peer that the application reaches by a transport of its own: Bluetooth, a pipe, a test.
///
/// The replicator calls ``MessageEndpointDelegate`` for a connection each time it connects.
///
/// Source: `behaviour.md` §12.
public final class MessageEndpoint: Endpoint, @unchecked Sendable {
    // Unchecked: `target` and `delegate` are the application's; they are only handed back and
    // called, one call at a time, and never changed here.

    /// A name of the peer that stays the same; checkpoints are kept under it.
    public let uid: String
    /// Whatever helps the delegate to find the peer.
    public let target: Any?
    /// How the transport carries messages.
    public let protocolType: ProtocolType
    /// Who makes connections.
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

/// Makes connections for a ``MessageEndpoint``.
public protocol MessageEndpointDelegate: AnyObject {
    /// Returns a new connection that is not open yet. Called on an internal thread; be quick.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A connection of the application's own transport.
///
/// Each verb is called on an internal thread, one after another, and ends by calling its
/// completion, from any thread, once.
public protocol MessageEndpointConnection: AnyObject {
    /// Opens the connection; from then on what arrives is handed to `connection`.
    func open(
        connection: any ReplicatorConnection,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    )
    /// Sends a message, in order with the others.
    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void)
    /// Closes the connection; `error` says why, when it was not in agreement.
    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void)
}

/// The replication's end of a connection; the application hands it what arrives.
public protocol ReplicatorConnection: AnyObject, Sendable {
    /// Hands over what arrived, in order. From any thread.
    func receive(message: Message)
    /// Tells that the transport has closed; `nil` means in agreement. From any thread.
    func close(error: MessagingError?)
}

/// Bytes on their way between peers.
public final class Message: Sendable {
    private let data: Data

    init(_ data: Data) {
        self.data = data
    }

    /// Wraps what arrived.
    public class func fromData(_ data: Data) -> Message { Message(data) }

    /// The bytes to carry.
    public func toData() -> Data { data }
}

/// What went wrong with an application's transport.
public struct MessagingError: Error {
    /// The cause.
    public let error: any Error
    /// Whether connecting again may help: true is retried (14001), false ends the run (14002).
    public let isRecoverable: Bool

    /// Creates an error.
    public init(error: any Error, isRecoverable: Bool) {
        self.error = error
        self.isRecoverable = isRecoverable
    }
}

public import Foundation

/// How a custom transport delivers data.
public enum ProtocolType: Sendable {
    /// The transport preserves message boundaries: each `Message` arrives as it was sent.
    case messageStream
    /// The transport is a byte stream that may be split anywhere; messages are framed.
    case byteStream
}

/// A peer that is reached over a custom transport, such as Bluetooth, a pipe or a test.
///
/// Each time it connects, the replicator requests a connection from the ``MessageEndpointDelegate``.
///
/// Source: `behaviour.md` §12.
public final class MessageEndpoint: Endpoint, @unchecked Sendable {
    // Unchecked: `target` and `delegate` are the application's; they are only returned and called, one call at a time,
    // and never changed here.

    /// A permanent ID of the peer; checkpoints are stored under it.
    public let uid: String
    /// Any object that helps the delegate find the peer.
    public let target: Any?
    /// How the transport delivers messages.
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
    /// Returns a new connection that is not open yet. Called on an internal thread; it must return quickly.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A connection over a custom transport.
///
/// The methods are called on an internal thread, one after another; each must call its completion exactly once, from
/// any thread.
public protocol MessageEndpointConnection: AnyObject {
    /// Opens the connection. Pass received data to `connection`.
    func open(
        connection: any ReplicatorConnection,
        completion: @escaping @Sendable (Bool, MessagingError?) -> Void
    )
    /// Sends a message, in order.
    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void)
    /// Closes the connection; `error` is the reason, or `nil` for a normal close.
    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void)
}

/// The replicator's side of a connection; the application passes received data to it.
public protocol ReplicatorConnection: AnyObject, Sendable {
    /// Delivers a received message, in order. Can be called from any thread.
    func receive(message: Message)
    /// Reports that the transport has closed; `nil` means a normal close. Can be called from any thread.
    func close(error: MessagingError?)
}

/// A message of a custom transport.
public final class Message: Sendable {
    private let data: Data

    init(_ data: Data) {
        self.data = data
    }

    /// Creates a message from received bytes.
    public class func fromData(_ data: Data) -> Message { Message(data) }

    /// Returns the bytes to send.
    public func toData() -> Data { data }
}

/// An error of a custom transport.
public struct MessagingError: Error {
    /// The cause.
    public let error: any Error
    /// Whether reconnecting may help: if true, the replicator retries (14001); otherwise it stops (14002).
    public let isRecoverable: Bool

    /// Creates an error.
    public init(error: any Error, isRecoverable: Bool) {
        self.error = error
        self.isRecoverable = isRecoverable
    }
}

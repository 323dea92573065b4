import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// `api-map.md` §14.
@Suite struct MessageDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// An application's connection, with closures of their official, plain types.
    private final class Connection: MessageEndpointConnection {
        var peer: ReplicatorConnection?
        var closed: Error?

        func open(
            connection: ReplicatorConnection,
            completion: @escaping (Bool, MessagingError?) -> Void
        ) {
            peer = connection
            completion(true, nil)
        }

        func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) {
            peer?.receive(message: Message.fromData(message.toData()))
            peer?.close(error: nil)
            completion(true, nil)
        }

        func close(error: Error?, completion: @escaping () -> Void) {
            closed = error
            completion()
        }
    }

    private final class Delegate: MessageEndpointDelegate {
        func createConnection(endpoint: MessageEndpoint) -> MessageEndpointConnection {
            Connection()
        }
    }

    private struct Broken: Error {}

    @Test func `MessageEndpoint has its official members`() {
        let _: (String, Any?, ProtocolType, MessageEndpointDelegate) -> MessageEndpoint =
            MessageEndpoint.init(uid:target:protocolType:delegate:)
        let _: KeyPath<MessageEndpoint, String> = \.uid
        let _: KeyPath<MessageEndpoint, Any?> = \.target
        let _: KeyPath<MessageEndpoint, ProtocolType> = \.protocolType
        let _: KeyPath<MessageEndpoint, MessageEndpointDelegate> = \.delegate
        let delegate = Delegate()
        let endpoint = MessageEndpoint(
            uid: "peer",
            target: "a peer",
            protocolType: .messageStream,
            delegate: delegate
        )
        let general: Endpoint = endpoint
        #expect(general is MessageEndpoint && endpoint.uid == "peer")
        #expect(endpoint.target as? String == "a peer")
        #expect(endpoint.protocolType == .messageStream && endpoint.protocolType != .byteStream)
        #expect(endpoint.delegate as? Delegate === delegate)
    }

    @Test func `messages and errors have their official members`() {
        let _: (Data) -> Message = Message.fromData(_:)
        let _: (Message) -> () -> Data = Message.toData
        let _: (Error, Bool) -> MessagingError = MessagingError.init(error:isRecoverable:)
        let error = MessagingError(error: Broken(), isRecoverable: true)
        #expect(error.error is Broken && error.isRecoverable)
        #expect(Message.fromData(Data([1, 2])).toData() == Data([1, 2]))
    }

    @Test func `MessageEndpointListener has its official members`() throws {
        typealias Config = MessageEndpointListenerConfiguration
        typealias Listener = MessageEndpointListener
        typealias Change = @Sendable (MessageEndpointListenerChange) -> Void
        let _: ([Collection], ProtocolType) -> Config = Config.init(collections:protocolType:)
        let _: (Config) -> Listener = Listener.init(config:)
        let _: KeyPath<Listener, [MessageEndpointConnection]> = \.connections
        let _: (Listener) -> (MessageEndpointConnection) -> Void = Listener.accept(connection:)
        let _: (Listener) -> (MessageEndpointConnection) -> Void = Listener.close(connection:)
        let _: (Listener) -> () -> Void = Listener.closeAll
        let _: (Listener) -> (@escaping Change) -> ListenerToken = Listener.addChangeListener(_:)
        let _: (Listener) -> (DispatchQueue?, @escaping Change) -> ListenerToken =
            Listener.addChangeListener(withQueue:_:)
        let _: (Listener) -> (ListenerToken) -> Void = Listener.removeChangeListener(withToken:)
        let _: KeyPath<MessageEndpointListenerChange, MessageEndpointConnection> = \.connection
        let _: KeyPath<MessageEndpointListenerChange, Replicator.Status> = \.status
        let collection = try place.open().defaultCollection()
        let config = Config(collections: [collection], protocolType: .byteStream)
        let listener = Listener(config: config)
        let token = listener.addChangeListener { change in _ = change.status.activity }
        listener.removeChangeListener(withToken: token)
        #expect(listener.connections.isEmpty)
        listener.closeAll()
        let older: Older = MessageListenerCode(place: place)
        try older.run()
    }
}

private struct MessageListenerCode: Older {
    let place: Place

    @available(*, deprecated)
    func run() throws {
        let _: (Database, ProtocolType) -> MessageEndpointListenerConfiguration =
            MessageEndpointListenerConfiguration.init(database:protocolType:)
        let database = try place.open()
        let config = MessageEndpointListenerConfiguration(
            database: database,
            protocolType: .messageStream
        )
        let _: KeyPath<MessageEndpointListenerConfiguration, Database> = \.database
        #expect(config.database === database)
        let listener = MessageEndpointListener(config: config)
        listener.removeChangeListener(token: listener.addChangeListener { _ in })
    }
}

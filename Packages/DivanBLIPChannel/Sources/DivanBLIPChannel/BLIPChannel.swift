public import DivanBLIP
public import DivanCompression
public import DivanTransport

/// BLIP over a message transport: requests and replies instead of frames.
///
/// **What it promises.** A handler is created once, on the transport's loop, and called only there. Messages sent
/// during a call of the handler are written at the end of the transport's turn, other messages in the loop's next
/// turn; as far as the transport is writable, and the rest when it becomes writable again. If a peer violates the
/// message rules, the connection is closed with the error's code, and nothing more from the peer is delivered.
///
/// **What bounds it.** `BLIPConnection.Limits` bounds the memory that a peer can use. Outgoing messages are limited
/// by the sender, who checks `queuedByteCount`.
///
/// Use members on the loop unless documented otherwise. `@unchecked Sendable` is correct because all state is
/// accessed only on the loop: the transport calls on the loop, `close` accesses no state, and the other public
/// members check it.
public final class BLIPChannel: MessageReceiver, @unchecked Sendable {
    private let transport: any MessageTransport
    private var connection: BLIPConnection
    private var makeHandler: (@Sendable (BLIPChannel) -> any BLIPHandler)?
    private var handler: (any BLIPHandler)?
    private var frame: [UInt8] = []
    private var turn = Turn.none

    /// When anything sent now is written.
    private enum Turn {
        /// In a turn of the loop that is requested then.
        case none
        /// When the call, or the batch that the transport delivers, ends.
        case running
        /// In the loop's next turn, which has been requested.
        case asked
        /// Never: the channel is closed.
        case over
    }

    /// Starts a transport and runs BLIP on it.
    ///
    /// Can be called from any thread.
    ///
    /// - Parameters:
    ///   - transport: Must not have been started.
    ///   - codec: Compresses frames; both ends must use the same.
    ///   - limits: The limits on the memory that the peer can use.
    ///   - makeHandler: Creates the handler; called once, on the loop, before anything else happens.
    /// - Returns: The channel, for code that sends or closes outside the handler; it lives until the connection has
    ///   ended.
    @discardableResult
    public static func open(
        over transport: any MessageTransport,
        codec: any CompressionCodec,
        limits: BLIPConnection.Limits = BLIPConnection.Limits(),
        _ makeHandler: @escaping @Sendable (BLIPChannel) -> any BLIPHandler
    ) -> BLIPChannel {
        let connection = BLIPConnection(codec: codec, limits: limits)
        let channel = BLIPChannel(transport, connection, makeHandler)
        transport.start(channel)
        return channel
    }

    private init(
        _ transport: any MessageTransport,
        _ connection: BLIPConnection,
        _ makeHandler: @escaping @Sendable (BLIPChannel) -> any BLIPHandler
    ) {
        self.transport = transport
        self.connection = connection
        self.makeHandler = makeHandler
    }

    /// The loop on which the handler is called.
    ///
    /// Can be used from any thread.
    public var loop: any EventLoop { transport.loop }

    /// The requests without a complete reply, in order; when the channel is closed, they have failed.
    public var waitingRequests: [BLIPRequestNumber] {
        checkLoop()
        return connection.waitingRequests
    }

    /// Uncompressed bytes that wait for the transport; of body sources, only the bytes already read.
    public var queuedByteCount: Int {
        checkLoop()
        return connection.queuedByteCount
    }

    /// Queues a request.
    ///
    /// - Returns: The number of its reply; `nil` if it expects no reply.
    @discardableResult
    public func send(_ request: consuming BLIPRequest) -> BLIPRequestNumber? {
        askForTurn()
        return connection.send(request)
    }

    /// Queues the reply to a request of the peer; a second or unexpected reply is discarded.
    public func reply(to request: BLIPRequestID, with reply: BLIPReply) {
        askForTurn()
        connection.reply(to: request, with: reply)
    }

    /// Closes the connection with a closing handshake.
    ///
    /// Can be called from any thread.
    public func close(code: UInt16 = 1000, reason: String = "") {
        transport.close(code: code, reason: reason)
    }

    // MARK: What the transport tells

    /// Creates the handler and calls it.
    public func transportDidOpen(_ peer: TransportPeer) {
        turn = .running
        speaker?.channelDidOpen(peer)
        write()
    }

    /// Delivers the messages that the frame completes.
    public func transportDidReceive(_ message: ArraySlice<UInt8>) {
        guard turn != .over else { return }
        turn = .running
        do {
            try connection.receive(message.span)
            while turn != .over, let event = connection.next() { handler?.channelDidReceive(event) }
        } catch {
            turn = .over
            handler?.channelDidFail(error)
            transport.close(code: error.closeCode, reason: "\(error)")
        }
    }

    /// Writes the messages sent meanwhile.
    public func transportDidDrainInput() { write() }

    /// Continues to write.
    public func transportDidBecomeWritable() { write() }

    /// Notifies the handler, and releases it.
    public func transportDidClose(_ close: TransportClose) {
        turn = .over
        let speaker = speaker
        handler = nil
        speaker?.channelDidClose(close)
    }

    /// The handler; created even for a connection that was never opened, to be told of the end.
    private var speaker: (any BLIPHandler)? {
        if let make = makeHandler {
            makeHandler = nil
            handler = make(self)
        }
        return handler
    }

    // MARK: Out

    private func checkLoop() {
        precondition(loop.isCurrent, "a channel must be used on its own loop")
    }

    private func askForTurn() {
        checkLoop()
        guard turn == .none else { return }
        turn = .asked
        loop.executeHere { [weak self] in self?.write() }
    }

    private func write() {
        guard turn != .over else { return }
        turn = .running
        repeat {
            _ = transport.send(through: &frame) { connection.nextFrame(into: &$0) }
        } while reportBodyFailures()
        if turn == .running { turn = .none }
    }

    /// Reports bodies that could not be read; returns whether there was one, because the handler may have sent
    /// something.
    private func reportBodyFailures() -> Bool {
        var hasTold = false
        while turn != .over, let event = connection.next() {
            handler?.channelDidReceive(event)
            hasTold = true
        }
        return hasTold && turn != .over
    }
}

public import DivanBLIP
public import DivanCompression
public import DivanTransport

/// BLIP over a message transport: requests and replies in place of frames.
///
/// **What it promises.** A handler is made once, on the transport's loop, and called there alone.
/// What is sent in a call of the handler goes out when the transport's turn ends, what is sent at
/// another time in the loop's next turn; both as far as the transport has room, and the rest when it
/// has room again. A peer that breaks the rules of messages is closed with the error's code, and
/// nothing of it is handed out any more.
///
/// **What bounds it.** What a peer can make it hold: `BLIPConnection.Limits`. What this side sends is
/// bound by who sends it: `queuedByteCount` waits for the transport.
///
/// Members are for the loop, unless they say otherwise. `@unchecked Sendable` holds because all state
/// is touched there alone: the transport calls there, `close` touches none, and whatever else is public
/// checks it.
public final class BLIPChannel: MessageReceiver, @unchecked Sendable {
    private let transport: any MessageTransport
    private var connection: BLIPConnection
    private var makeHandler: (@Sendable (BLIPChannel) -> any BLIPHandler)?
    private var handler: (any BLIPHandler)?
    private var frame: [UInt8] = []
    private var turn = Turn.none

    /// When what is sent now goes out.
    private enum Turn {
        /// In a turn of the loop that is asked for then.
        case none
        /// When the call, or the batch that the transport delivers, is over.
        case running
        /// In the loop's next turn, which is asked for.
        case asked
        /// Never: the channel is closed.
        case over
    }

    /// Starts a transport and speaks BLIP on it; from any thread.
    ///
    /// - Parameters:
    ///   - transport: Nobody may have started it.
    ///   - codec: What compressed frames are made with; both ends have to use the same.
    ///   - limits: What the peer may make the channel hold.
    ///   - makeHandler: Makes what speaks here; called once, on the loop, before anything else happens.
    /// - Returns: The channel, for whoever sends or closes from elsewhere; it lives until the connection
    ///   has ended.
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

    /// Where the handler is called; from any thread.
    public var loop: any EventLoop { transport.loop }

    /// The requests that have no complete reply, in order; once the channel is closed they have failed.
    public var waitingRequests: [BLIPRequestNumber] {
        checkLoop()
        return connection.waitingRequests
    }

    /// Plain bytes that wait for the transport; of body sources, only what was read.
    public var queuedByteCount: Int {
        checkLoop()
        return connection.queuedByteCount
    }

    /// Queues a request.
    ///
    /// - Returns: The number that its reply will carry, or `nil` when it wants none.
    @discardableResult
    public func send(_ request: consuming BLIPRequest) -> BLIPRequestNumber? {
        askForTurn()
        return connection.send(request)
    }

    /// Queues the reply to a request of the peer; a second one, or one not wanted, is dropped.
    public func reply(to request: BLIPRequestID, with reply: BLIPReply) {
        askForTurn()
        connection.reply(to: request, with: reply)
    }

    /// Says goodbye and ends the connection; from any thread.
    public func close(code: UInt16 = 1000, reason: String = "") {
        transport.close(code: code, reason: reason)
    }

    // MARK: What the transport tells

    /// Makes the handler and tells it.
    public func transportDidOpen(_ peer: TransportPeer) {
        turn = .running
        speaker?.channelDidOpen(peer)
        write()
    }

    /// Hands out what the frame completes.
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

    /// Writes what was sent meanwhile.
    public func transportDidDrainInput() { write() }

    /// Goes on to write.
    public func transportDidBecomeWritable() { write() }

    /// Tells the handler, and lets go of it.
    public func transportDidClose(_ close: TransportClose) {
        turn = .over
        let speaker = speaker
        handler = nil
        speaker?.channelDidClose(close)
    }

    /// The handler; a connection that never came to be has one too, which hears of its end.
    private var speaker: (any BLIPHandler)? {
        if let make = makeHandler {
            makeHandler = nil
            handler = make(self)
        }
        return handler
    }

    // MARK: Out

    private func checkLoop() {
        precondition(loop.isCurrent, "a channel is used on its loop")
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
        } while tellWhatWritingBrought()
        if turn == .running { turn = .none }
    }

    /// Tells of bodies that could not be read; returns whether there was one, for the handler may have
    /// sent something.
    private func tellWhatWritingBrought() -> Bool {
        var hasTold = false
        while turn != .over, let event = connection.next() {
            handler?.channelDidReceive(event)
            hasTold = true
        }
        return hasTold && turn != .over
    }
}

public import DivanBLIP
public import DivanTransport

/// Handles the messages of a channel; created and called on the channel's loop, so that it needs no lock.
public protocol BLIPHandler: AnyObject {
    /// The connection is open: requests can be sent.
    func channelDidOpen(_ peer: TransportPeer)

    /// The peer sent a request or reply, or an outgoing body could not be read.
    func channelDidReceive(_ event: BLIPEvent)

    /// The peer violated the message rules: the channel closes with the error's code.
    func channelDidFail(_ error: BLIPError)

    /// The connection has ended, or was never opened; the last call.
    func channelDidClose(_ close: TransportClose)
}

extension BLIPHandler {
    /// Does nothing.
    public func channelDidOpen(_ peer: TransportPeer) {}

    /// Does nothing: `channelDidClose` is also called.
    public func channelDidFail(_ error: BLIPError) {}

    /// Does nothing.
    public func channelDidClose(_ close: TransportClose) {}
}

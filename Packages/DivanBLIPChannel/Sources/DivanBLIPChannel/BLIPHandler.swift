public import DivanBLIP
public import DivanTransport

/// Speaks BLIP on a channel; made and called on the channel's loop, so that it needs no lock.
public protocol BLIPHandler: AnyObject {
    /// The peer is there: requests may be sent.
    func channelDidOpen(_ peer: TransportPeer)

    /// The peer asks or answers, or a body of ours could not be read.
    func channelDidReceive(_ event: BLIPEvent)

    /// The peer broke the rules of messages: the channel closes with the error's code.
    func channelDidFail(_ error: BLIPError)

    /// The connection has ended, or never came to be; the last call.
    func channelDidClose(_ close: TransportClose)
}

extension BLIPHandler {
    /// Does nothing.
    public func channelDidOpen(_ peer: TransportPeer) {}

    /// Does nothing: `channelDidClose` comes, too.
    public func channelDidFail(_ error: BLIPError) {}

    /// Does nothing.
    public func channelDidClose(_ close: TransportClose) {}
}

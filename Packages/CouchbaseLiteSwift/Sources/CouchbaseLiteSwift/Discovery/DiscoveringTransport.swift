import DivanDiscovery
import DivanLog
import DivanTransport

/// Searches for a peer, and then passes everything on to a transport to the peer.
///
/// `@unchecked Sendable`: the state is accessed on the loop only. Events of the search go there first.
final class DiscoveringTransport: MessageTransport, @unchecked Sendable {
    typealias Connect = @Sendable (DiscoveredPeer) throws -> any MessageTransport

    private enum State {
        case new
        case searching(any MessageReceiver, (any DiscoveryActivity)?, TimerToken)
        case connected(any MessageTransport)
        case ended
    }

    let loop: any EventLoop
    private let endpoint: DiscoveredEndpoint
    private let connect: Connect
    private var state = State.new

    init(_ endpoint: DiscoveredEndpoint, loop: any EventLoop, connect: @escaping Connect) {
        self.endpoint = endpoint
        self.loop = loop
        self.connect = connect
    }

    func start(_ receiver: any MessageReceiver) {
        loop.execute { self.search(for: receiver) }
    }

    var isWritable: Bool {
        if case .connected(let transport) = state { transport.isWritable } else { false }
    }

    func send(_ message: Span<UInt8>) {
        if case .connected(let transport) = state { transport.send(message) }
    }

    func close(code: UInt16, reason: String) {
        loop.execute {
            switch self.state {
            case .new: self.state = .ended
            case .searching:
                self.end(.clean(code: code, reason: reason, isByPeer: false))
            case .connected(let transport): transport.close(code: code, reason: reason)
            case .ended: break
            }
        }
    }

    private func search(for receiver: any MessageReceiver) {
        guard case .new = state else {
            // Closed before it was started.
            let close = TransportClose.clean(code: 1000, reason: "", isByPeer: false)
            return receiver.transportDidClose(close)
        }
        let deadline = loop.now + .bounded(seconds: endpoint.patience)
        let timer = loop.schedule(at: deadline) { [weak self] in self?.giveUp() }
        state = .searching(receiver, nil, timer)
        do throws(DiscoveryError) {
            // Events may arrive within the call; they are handled afterwards.
            let activity = try endpoint.discovery.browse { [weak self] event in
                guard let self else { return }
                loop.execute { self.handle(event) }
            }
            state = .searching(receiver, activity, timer)
        } catch {
            fail(error)
        }
    }

    private func handle(_ event: BrowseEvent) {
        guard case .searching(let receiver, _, _) = state else { return }
        switch event {
        case .found(let peer) where peer.name.utf8.elementsEqual(endpoint.name.utf8):
            do {
                let transport = try connect(peer)
                stopSearching()
                state = .connected(transport)
                transport.start(receiver)
            } catch {
                // Its attributes may be corrected while the search continues.
                Journal.sync.warning("Peer \(endpoint.name): \(error)")
            }
        case .found, .lost: break
        case .failed(let error): fail(error)
        }
    }

    private func giveUp() {
        end(.failed(TransportError(.unknownHost(endpoint.name), place: place)))
    }

    private func fail(_ error: DiscoveryError) {
        Journal.sync.error("\(error)")
        giveUp()
    }

    private var place: String { "peer \(endpoint.name)" }

    private func stopSearching() {
        guard case .searching(_, let activity, let timer) = state else { return }
        activity?.stop()
        loop.cancel(timer)
    }

    private func end(_ close: TransportClose) {
        guard case .searching(let receiver, _, _) = state else { return }
        stopSearching()
        state = .ended
        receiver.transportDidClose(close)
    }
}

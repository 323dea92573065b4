import DivanTransport
import Synchronization

/// A receiver that records its calls and lets a test wait for them.
final class Recorder: MessageReceiver {
    /// What was received so far.
    struct ReceivedEvents: Sendable {
        var peer: TransportPeer?
        var messages: [[UInt8]] = []
        var messageCount = 0
        var batchCount = 0
        var writableCount = 0
        var close: TransportClose?

        /// The error that ended the transport, if one did.
        var error: TransportError? {
            if case .failed(let error) = close { error } else { nil }
        }

        /// The close that ended the transport, as `code reason byPeer`.
        var goodbye: String? {
            guard case .clean(let code, let reason, let isByPeer) = close else { return nil }
            return "\(code) \(reason) \(isByPeer)"
        }
    }

    private struct Waiter {
        let isMet: @Sendable (ReceivedEvents) -> Bool
        let continuation: CheckedContinuation<ReceivedEvents, Never>
    }

    private struct State {
        var events = ReceivedEvents()
        var waiters: [Waiter] = []
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let keepsMessages: Bool
    private let onOpen: @Sendable () -> Void
    private let onMessage: @Sendable (ArraySlice<UInt8>) -> Void
    private let onWritable: @Sendable () -> Void

    init(
        keepsMessages: Bool = true,
        onOpen: @escaping @Sendable () -> Void = {},
        onWritable: @escaping @Sendable () -> Void = {},
        onMessage: @escaping @Sendable (ArraySlice<UInt8>) -> Void = { _ in }
    ) {
        self.keepsMessages = keepsMessages
        self.onOpen = onOpen
        self.onWritable = onWritable
        self.onMessage = onMessage
    }

    var events: ReceivedEvents { state.withLock { $0.events } }

    /// Returns once `isMet`; the suite's time limit ends this wait, and all others here, if it never is.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (ReceivedEvents) -> Bool) async -> ReceivedEvents {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let events: ReceivedEvents? = state.withLock { state in
                    if state.isGivenUp || isMet(state.events) { return state.events }
                    state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                    return nil
                }
                if let events { continuation.resume(returning: events) }
            }
        } onCancel: {
            let (waiters, events) = state.withLock { state in
                state.isGivenUp = true
                defer { state.waiters = [] }
                return (state.waiters, state.events)
            }
            for waiter in waiters { waiter.continuation.resume(returning: events) }
        }
    }

    /// Returns when the transport has ended.
    @discardableResult
    func end() async -> ReceivedEvents {
        await wait { $0.close != nil }
    }

    private func change(_ change: (inout ReceivedEvents) -> Void) {
        let (met, events) = state.withLock { state in
            change(&state.events)
            let events = state.events
            let met = state.waiters.filter { $0.isMet(events) }
            if !met.isEmpty { state.waiters.removeAll { $0.isMet(events) } }
            return (met, events)
        }
        for waiter in met { waiter.continuation.resume(returning: events) }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        onOpen()
        change { $0.peer = peer }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        onMessage(message)
        change { events in
            events.messageCount += 1
            if keepsMessages { events.messages.append(Array(message)) }
        }
    }

    func transportDidDrainInput() {
        change { $0.batchCount += 1 }
    }

    func transportDidBecomeWritable() {
        onWritable()
        change { $0.writableCount += 1 }
    }

    func transportDidClose(_ close: TransportClose) {
        change { $0.close = close }
    }
}

import DivanTransport
import Synchronization

/// A receiver that records its calls and lets a test wait for them.
final class Recorder: MessageReceiver {
    /// What was received so far.
    struct Story: Sendable {
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
        let isMet: @Sendable (Story) -> Bool
        let continuation: CheckedContinuation<Story, Never>
    }

    private struct State {
        var story = Story()
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

    var story: Story { state.withLock { $0.story } }

    /// Returns once `isMet`; the suite's time limit ends this wait, and all others here, if it never is.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (Story) -> Bool) async -> Story {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let story: Story? = state.withLock { state in
                    if state.isGivenUp || isMet(state.story) { return state.story }
                    state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                    return nil
                }
                if let story { continuation.resume(returning: story) }
            }
        } onCancel: {
            let (waiters, story) = state.withLock { state in
                state.isGivenUp = true
                defer { state.waiters = [] }
                return (state.waiters, state.story)
            }
            for waiter in waiters { waiter.continuation.resume(returning: story) }
        }
    }

    /// Returns when the transport has ended.
    @discardableResult
    func end() async -> Story {
        await wait { $0.close != nil }
    }

    private func change(_ change: (inout Story) -> Void) {
        let (met, story) = state.withLock { state in
            change(&state.story)
            let story = state.story
            let met = state.waiters.filter { $0.isMet(story) }
            if !met.isEmpty { state.waiters.removeAll { $0.isMet(story) } }
            return (met, story)
        }
        for waiter in met { waiter.continuation.resume(returning: story) }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        onOpen()
        change { $0.peer = peer }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        onMessage(message)
        change { story in
            story.messageCount += 1
            if keepsMessages { story.messages.append(Array(message)) }
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

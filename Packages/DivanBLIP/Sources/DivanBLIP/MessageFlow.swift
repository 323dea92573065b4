/// An outgoing message of several frames: it flows until too much of it is unacknowledged.
///
/// A message that fits into one frame has no flow. Any other counts the bytes of its frames; with a full window of
/// unacknowledged bytes it pauses, and blocks only itself, so that the others have their turns. The window starts at
/// `Wire.windowByteCount` and grows by what is acknowledged, up to `Wire.widestWindowByteCount`: a peer that
/// acknowledges nothing gets no more than from any sender, and if latency is high, or both ends have work to do,
/// neither waits for the other. The peer acknowledges every `Wire.acknowledgeInterval` bytes; acknowledgements of bytes
/// that it cannot have, or has acknowledged before, are ignored. With the last frame the flow is over, acknowledged or
/// not. There are as many flows as messages waiting to be sent, which their senders bound.
///
/// Source: `blip.md` §6. Drawn in `Docs/states/blip-message.md`.
enum MessageFlow {
    /// No frame has been made.
    case queued
    case flowing(FlowWindow)
    case paused(FlowWindow, OutgoingMessage)
    case over

    enum Event {
        /// A frame was made, and more will follow.
        case frameMade(byteCount: Int, of: OutgoingMessage)
        case lastFrameMade
        case acknowledged(byteCount: UInt64)
    }

    enum Effect {
        /// The message takes its next turn.
        case enqueue
    }

    /// The whole behaviour, one line per transition.
    mutating func handle(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.queued, .frameMade(let byteCount, _)):
            (self, effects) = (.flowing(FlowWindow().sent(byteCount)), [.enqueue])
        case (.queued, .lastFrameMade): (self, effects) = (.over, [])
        case (.flowing(let window), .frameMade(let byteCount, let it)) where window.fills(byteCount):
            (self, effects) = (.paused(window.sent(byteCount), it), [])
        case (.flowing(let window), .frameMade(let byteCount, _)):
            (self, effects) = (.flowing(window.sent(byteCount)), [.enqueue])
        case (.flowing(let window), .acknowledged(let byteCount)):
            (self, effects) = (.flowing(window.acknowledged(byteCount)), [])
        case (.flowing, .lastFrameMade): (self, effects) = (.over, [])
        case (.paused(let window, _), .acknowledged(let byteCount)) where window.opens(byteCount):
            (self, effects) = (.flowing(window.acknowledged(byteCount)), [.enqueue])
        case (.paused(let window, let it), .acknowledged(let byteCount)):
            (self, effects) = (.paused(window.acknowledged(byteCount), it), [])
        default: effects = []
        }
        return effects
    }
}

/// How much of a message is in flight.
struct FlowWindow {
    private var sentByteCount = 0
    private var acknowledgedByteCount = 0

    private var isFull: Bool {
        let grown = Wire.windowByteCount + acknowledgedByteCount
        return sentByteCount - acknowledgedByteCount >= min(grown, Wire.widestWindowByteCount)
    }

    func sent(_ byteCount: Int) -> FlowWindow {
        var window = self
        window.sentByteCount += byteCount
        return window
    }

    /// Ignores impossible values.
    func acknowledged(_ byteCount: UInt64) -> FlowWindow {
        guard byteCount <= UInt64(clamping: sentByteCount),
            byteCount > UInt64(clamping: acknowledgedByteCount)
        else { return self }
        var window = self
        window.acknowledgedByteCount = Int(byteCount)
        return window
    }

    /// Whether `byteCount` more bytes fill the window.
    func fills(_ byteCount: Int) -> Bool { sent(byteCount).isFull }

    /// Whether the window has room once `byteCount` bytes are acknowledged.
    func opens(_ byteCount: UInt64) -> Bool { !acknowledged(byteCount).isFull }
}

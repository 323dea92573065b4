/// How a WebSocket connection ends: who says goodbye first, and what is heard afterwards.
///
/// Each side sends one CLOSE frame. Whoever asks first has `closeTimeout` for the answer; messages of
/// the peer that were on their way are dropped then, though its frames are still checked. A peer that
/// breaks a rule gets a CLOSE frame that says which, unless ours went out before, and is not listened to
/// any more. Nothing is sent after our CLOSE frame, and nothing is read after the peer's.
///
/// Source: RFC 6455 §5.5.1, §7. Drawn in `Docs/states/websocket-close.md`.
enum ClosingHandshake {
    case open
    /// Our CLOSE is out; the peer has until `deadline` to answer.
    case closing(deadline: Duration)
    /// Both CLOSE frames went over.
    case closed
    /// The peer broke a rule; our CLOSE says which.
    case failed(FrameError)

    enum Event {
        case closeAsked(deadline: Duration)
        case closeReceived
        case ruleBroken(FrameError)
    }

    enum Effect {
        case sendClose
    }

    /// The whole behaviour, a line for each transition.
    mutating func take(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.open, .closeAsked(let deadline)):
            (self, effects) = (.closing(deadline: deadline), [.sendClose])
        case (.open, .closeReceived): (self, effects) = (.closed, [.sendClose])
        case (.open, .ruleBroken(let error)): (self, effects) = (.failed(error), [.sendClose])
        case (.closing, .closeReceived): (self, effects) = (.closed, [])
        case (.closing, .ruleBroken(let error)): (self, effects) = (.failed(error), [])
        default: effects = []
        }
        return effects
    }
}

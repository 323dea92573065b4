/// How a WebSocket connection ends: which side closes first, and what is still read afterwards.
///
/// Each side sends one CLOSE frame. The side that sends first waits `closeTimeout` for the answer; messages of the peer
/// that were in flight are dropped then, though its frames are still checked. A peer that violates a rule gets a CLOSE
/// frame that says which, unless ours was sent before, and is not read any more. Nothing is sent after our CLOSE frame,
/// and nothing is read after the peer's.
///
/// Source: RFC 6455 §5.5.1, §7. Drawn in `Docs/states/websocket-close.md`.
enum ClosingHandshake {
    case open
    /// Our CLOSE has been sent; the peer has until `deadline` to answer.
    case closing(deadline: Duration)
    /// Both CLOSE frames have been exchanged.
    case closed
    /// The peer violated a rule, which our CLOSE names.
    case failed(FrameError)

    enum Event {
        case closeAsked(deadline: Duration)
        case closeReceived
        case ruleBroken(FrameError)
    }

    enum Effect {
        case sendClose
    }

    /// The whole behaviour, one line per transition.
    mutating func handle(_ event: Event) -> [Effect] {
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

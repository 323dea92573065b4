/// Joins the fragments of messages and validates text.
///
/// A message in one frame is returned as the frame's slice; fragments are copied into one buffer.
///
/// Source: RFC 6455 §5.4 (fragmentation), §8.1 (UTF-8).
struct MessageAssembler: Sendable {
    /// A whole message.
    struct Message {
        let payload: ArraySlice<UInt8>
        let isText: Bool
    }

    private let limits: WebSocketLimits
    private let acceptsText: Bool
    private var fragments: [UInt8] = []
    private var fragmentCount = 0  // 0: no message is open
    private var isText = false
    private var text = UTF8Check()
    private var previewedCount = 0  // bytes of the next frame that `text` has seen

    init(limits: WebSocketLimits, acceptsText: Bool) {
        self.limits = limits
        self.acceptsText = acceptsText
    }

    /// Takes a data frame; returns the message if the frame completes it.
    mutating func receive(_ frame: Frame) throws(FrameError.Reason) -> Message? {
        try begin(frame)
        let byteCount = fragments.count + frame.payload.count
        guard byteCount <= limits.messageByteCount else {
            throw .message(byteCount: byteCount, limit: limits.messageByteCount)
        }
        guard fragmentCount <= limits.fragmentCount else {
            throw .fragments(limit: limits.fragmentCount)
        }
        if isText {
            let unseen = frame.payload.dropFirst(previewedCount)
            previewedCount = 0
            guard text.receive(unseen) else { throw .encoding(.text) }
        }
        if frame.isFinal, fragmentCount == 1 { return try end(with: frame.payload) }
        fragments += frame.payload
        guard frame.isFinal else { return nil }
        let whole = fragments
        fragments = []
        return try end(with: whole[...])
    }

    /// Validates the text of an incomplete frame, so that invalid text fails at its first byte.
    ///
    /// Violations of other rules are left to `receive`.
    mutating func preview(_ preview: FrameDecoder.Preview) throws(FrameError.Reason) {
        let begins = preview.opcode == .text && fragmentCount == 0
        let goesOn = preview.opcode == .continuation && fragmentCount > 0 && isText
        guard acceptsText, begins || goesOn, fragmentCount < limits.fragmentCount,
            fragments.count + preview.payloadByteCount <= limits.messageByteCount
        else { return }
        guard text.receive(preview.bytes[...]) else { throw .encoding(.text) }
        previewedCount += preview.bytes.count
    }

    private mutating func begin(_ frame: Frame) throws(FrameError.Reason) {
        if frame.opcode == .continuation {
            guard fragmentCount > 0 else { throw .strayContinuation }
        } else {
            guard fragmentCount == 0 else { throw .interruptedMessage }
            isText = frame.opcode == .text
            guard acceptsText || !isText else { throw .text }
        }
        fragmentCount += 1
    }

    private mutating func end(
        with payload: ArraySlice<UInt8>
    ) throws(FrameError.Reason) -> Message {
        guard !isText || text.isComplete else { throw .encoding(.text) }
        fragmentCount = 0
        return Message(payload: payload, isText: isText)
    }
}

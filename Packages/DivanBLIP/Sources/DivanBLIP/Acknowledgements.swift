/// The pending acknowledgements for the peer's messages.
///
/// A later total replaces an earlier one that has not been sent, so a peer that sends and never reads makes us hold one
/// entry for each of its messages.
///
/// Source: `blip.md` §6.
struct Acknowledgements {
    private var keys = Queue<MessageKey>()
    private var totals: [MessageKey: Int] = [:]

    var isEmpty: Bool { keys.isEmpty }

    mutating func add(_ key: MessageKey, total: Int) {
        if totals.updateValue(total, forKey: key) == nil { keys.append(key) }
    }

    /// Appends the next ACK frame; returns `false` if there is none.
    mutating func appendNext(to output: inout [UInt8]) -> Bool {
        guard !isEmpty, let key = keys.popFirst(), let total = totals.removeValue(forKey: key)
        else { return false }
        let kind: FrameKind = key.isReply ? .acknowledgesReply : .acknowledgesRequest
        appendVarint(key.number, to: &output)
        output.append(kind.rawValue | FrameFlags.urgent | FrameFlags.noReply)
        appendVarint(UInt64(total), to: &output)
        return true
    }
}

import DivanReplicator

extension PeerConfiguration {
    /// Whether this is an active peer that stays connected.
    var isContinuous: Bool {
        if case .active(let options) = role { options.isContinuous } else { false }
    }

    /// Makes the next connection start from the checkpoint, and leave alone what was refused.
    mutating func clearReset() {
        guard case .active(var options) = role else { return }
        options.isReset = false
        options.retriesRefused = false
        role = .active(options)
    }
}

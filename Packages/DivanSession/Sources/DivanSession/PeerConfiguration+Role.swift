public import DivanCompression
import DivanPlatform
public import DivanReplicator

extension PeerConfiguration {
    /// Creates a configuration that writes the system's time into checkpoints.
    public init(role: Role, codec: any CompressionCodec) {
        self.init(role: role, codec: codec, secondsSince1970: { WallClock.seconds() })
    }

    /// Whether this is an active peer that stays connected.
    var isContinuous: Bool {
        if case .active(let options) = role { options.isContinuous } else { false }
    }

    /// Makes the next connection start from the checkpoint, and not retry what was refused.
    mutating func clearReset() {
        guard case .active(var options) = role else { return }
        options.isReset = false
        options.retriesRefused = false
        role = .active(options)
    }
}

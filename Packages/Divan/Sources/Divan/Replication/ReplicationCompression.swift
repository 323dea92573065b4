import DivanLZ4
import DivanReplicator
import DivanZlib

/// How a replicator or a listener makes what it sends smaller.
///
/// Each side decides for its own direction, and takes whatever the other sends. Two databases of
/// one process never compress. An addition to the official API.
public enum ReplicationCompression: Hashable, Sendable {
    /// Nothing inside this machine, where any codec is slower than the wire; deflate elsewhere, as
    /// long as it is faster than sending the same documents as they are.
    ///
    /// Each side measures that while it sends, and goes on with what was faster by a quarter. A
    /// link that carries less than 8 MB of documents a second is not tried: there bytes count. A
    /// listener also takes LZ4, from clients that offer it.
    case automatic
    /// Deflate, always and inside this machine too, with an effort from 1 (fast) to 9 (small).
    ///
    /// 6 is what Couchbase Lite uses. LZ4 is neither offered nor taken.
    case deflate(level: Int)
    /// LZ4 where the other side is a Divan that takes it, inside this machine too; else deflate.
    ///
    /// Some ten times faster than deflate, and about twice the bytes: for fast networks. Other
    /// servers and clients never notice (``ReplicatorConfiguration/compression``). The app's own
    /// message connections have no handshake to agree in, so they use deflate.
    case lz4
    /// Nothing; LZ4 is neither offered nor taken.
    case none
}

extension ReplicationCompression {
    /// The effort of Couchbase Lite.
    static let defaultLevel = 6

    /// The codec of the standard wire, which compresses what this side sends and opens what comes.
    var codec: DeflateCodec {
        if case .deflate(let level) = self {
            DeflateCodec(level: level)
        } else {
            DeflateCodec(level: Self.defaultLevel)
        }
    }

    /// Sets an active peer up; `suits` says whether messages are worth compressing on the way.
    func apply(toActive peer: inout PeerConfiguration, suits: Bool) {
        peer.compresses = self == .automatic ? suits : self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 { peer.furtherCodecs = [LZ4Codec()] }
    }

    /// Sets a passive peer up; clients inside this machine are the listener's matter.
    func apply(toPassive peer: inout PeerConfiguration) {
        peer.compresses = self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 || self == .automatic { peer.furtherCodecs = [LZ4Codec()] }
    }
}

import DivanCompression
import DivanISAL
import DivanLZ4
import DivanReplicator
import DivanZlib

/// How a replicator or a listener makes what it sends smaller.
///
/// Each side decides for its own direction, and takes whatever the other sends. Two databases of
/// one process never compress. An addition to the official API.
public enum ReplicationCompression: Hashable, Sendable {
    /// Nothing inside this machine, where any codec is slower than the wire; elsewhere what turns out
    /// to be the fastest with the link and the processors that there are.
    ///
    /// Each side measures that while it sends, again and again. It chooses between deflate by zlib,
    /// the densest; deflate by ISA-L, where that library is installed; LZ4, where the other side is a
    /// Divan; and documents as they are. A link that carries less than 8 MB of documents a second gets
    /// the densest: there bytes count.
    case automatic
    /// Deflate, always and inside this machine too, with an effort from 1 (fast) to 9 (small).
    ///
    /// 6 is what Couchbase Lite uses. 1 to 3 are ISA-L's where it is installed, which is three times
    /// as fast as zlib's and no larger. LZ4 is neither offered nor taken.
    case deflate(level: Int)
    /// LZ4 where the other side is a Divan that takes it, inside this machine too; else deflate.
    ///
    /// Some ten times faster than zlib, and about twice the bytes: for fast networks. Other
    /// servers and clients never notice (``ReplicatorConfiguration/compression``). The app's own
    /// message connections have no handshake to agree in, so they use deflate.
    case lz4
    /// Nothing; LZ4 is neither offered nor taken.
    case none
}

extension ReplicationCompression {
    /// The effort of Couchbase Lite.
    static let defaultLevel = 6

    /// Deflate with what there is on this machine; the faster library compresses unless a connection
    /// finds that bytes count.
    static let standardCodec: any CompressionCodec = {
        let zlib = DeflateCodec(level: defaultLevel)
        guard let fast = ISALCodec() else { return zlib }
        return GradedCodec([zlib, fast])
    }()

    /// Deflate and LZ4 in one stream, for peers that choose on the way.
    private static let mixedCodec = MixedCodec([standardCodec, LZ4Codec()])

    /// The codec of the standard wire, which compresses what this side sends and opens what comes.
    var codec: any CompressionCodec {
        guard case .deflate(let level) = self else { return Self.standardCodec }
        if level <= 3, let fast = ISALCodec(level: level) { return fast }
        return DeflateCodec(level: level)
    }

    /// Sets an active peer up; `suits` says whether messages are worth compressing on the way.
    func apply(toActive peer: inout PeerConfiguration, suits: Bool) {
        peer.compresses = self == .automatic ? suits : self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 { peer.furtherCodecs = [LZ4Codec()] }
        if self == .automatic, suits { peer.furtherCodecs = [Self.mixedCodec] }
    }

    /// Sets a passive peer up; clients inside this machine are the listener's matter.
    func apply(toPassive peer: inout PeerConfiguration) {
        peer.compresses = self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 { peer.furtherCodecs = [LZ4Codec()] }
        if self == .automatic { peer.furtherCodecs = [LZ4Codec(), Self.mixedCodec] }
    }
}

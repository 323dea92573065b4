import DivanCompression
import DivanISAL
import DivanLZ4
import DivanReplicator
import DivanZlib

/// How a replicator or a listener compresses what it sends.
///
/// Each side decides for its own direction, and accepts whatever the other sends. Two databases in one process never
/// compress. An addition to the official API.
public enum ReplicationCompression: Hashable, Sendable {
    /// No compression within this machine, where any codec is slower than the connection; otherwise whatever proves
    /// fastest with the available link and processors.
    ///
    /// Each side keeps measuring while it sends. It chooses between deflate by zlib, the smallest; deflate by ISA-L, if
    /// that library is installed; LZ4, if the other side is Divan; and no compression. A link that carries less than 8
    /// MB of documents a second gets the smallest, because bytes count there.
    case automatic
    /// Always deflate, even within this machine, at a level from 1 (fast) to 9 (small).
    ///
    /// Couchbase Lite uses 6. Levels 1 to 3 use ISA-L if it is installed, which is three times as fast as zlib and no
    /// larger. LZ4 is neither offered nor accepted.
    case deflate(level: Int)
    /// LZ4 if the other side is a Divan that accepts it, even within this machine; otherwise deflate.
    ///
    /// About ten times faster than zlib, with about twice the bytes: for fast networks. Other servers and clients are
    /// unaffected (``ReplicatorConfiguration/compression``). The application's message connections have no handshake in
    /// which to agree, so they use deflate.
    case lz4
    /// No compression; LZ4 is neither offered nor accepted.
    case none
}

extension ReplicationCompression {
    /// The level that Couchbase Lite uses.
    static let defaultLevel = 6

    /// Deflate with the libraries on this machine; the faster one compresses unless bytes prove to count on a
    /// connection.
    static let standardCodec: any CompressionCodec = {
        let zlib = DeflateCodec(level: defaultLevel)
        guard let fast = ISALCodec() else { return zlib }
        return GradedCodec([zlib, fast])
    }()

    /// Deflate and LZ4 in one stream, for peers that choose while sending.
    private static let mixedCodec = MixedCodec([standardCodec, LZ4Codec()])

    /// The codec of the standard protocol, which compresses what this side sends and decompresses what arrives.
    var codec: any CompressionCodec {
        guard case .deflate(let level) = self else { return Self.standardCodec }
        if level <= 3, let fast = ISALCodec(level: level) { return fast }
        return DeflateCodec(level: level)
    }

    /// Configures an active peer; `suits` says whether compressing messages is worthwhile on its connection.
    func apply(toActive peer: inout PeerConfiguration, suits: Bool) {
        peer.compresses = self == .automatic ? suits : self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 { peer.furtherCodecs = [LZ4Codec()] }
        if self == .automatic, suits { peer.furtherCodecs = [Self.mixedCodec] }
    }

    /// Configures a passive peer; the listener handles clients on this machine.
    func apply(toPassive peer: inout PeerConfiguration) {
        peer.compresses = self != .none
        peer.measuresLink = self == .automatic
        if self == .lz4 { peer.furtherCodecs = [LZ4Codec()] }
        if self == .automatic { peer.furtherCodecs = [LZ4Codec(), Self.mixedCodec] }
    }
}

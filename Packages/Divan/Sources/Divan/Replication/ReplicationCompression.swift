import DivanCompression
import DivanISAL
import DivanLZ4
import DivanReplicator
import DivanZlib

/// How a replicator or a listener compresses sent data.
///
/// Each side chooses the compression of its sent data, and accepts any compression of received data. Two databases in
/// one process never compress. An addition to the official API.
public enum ReplicationCompression: Hashable, Sendable {
    /// No compression within this machine; otherwise the fastest codec, by measurement.
    ///
    /// Each side measures while it sends. It chooses between deflate with zlib (smallest), deflate with ISA-L (if
    /// installed), LZ4 (with Divan peers), and no compression. On links below 8 MB of documents per second, it uses
    /// zlib.
    case automatic
    /// Always deflate, also within this machine, with a level from 1 (fast) to 9 (small).
    ///
    /// Couchbase Lite uses level 6. Levels 1 to 3 use ISA-L if it is installed, which is three times as fast as zlib
    /// for the same size. LZ4 is neither offered nor accepted.
    case deflate(level: Int)
    /// LZ4 if the other side is a Divan peer that accepts it, also within this machine; otherwise deflate.
    ///
    /// About ten times faster than zlib, with about twice the size; for fast networks. Other servers and clients ignore
    /// it (``ReplicatorConfiguration/compression``). Message endpoints have no handshake to negotiate it, so they use
    /// deflate.
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

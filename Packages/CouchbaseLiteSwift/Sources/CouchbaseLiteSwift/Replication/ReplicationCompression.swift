public import DivanCompression
import DivanISAL
import DivanLZ4
import DivanReplicator
import DivanZlib

/// How a replicator or a listener compresses sent data.
///
/// Each side chooses the compression of its sent data, and accepts any compression of received data. Two databases in
/// one process never compress. An addition to the official API.
public enum ReplicationCompression: Sendable {
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
    /// A custom codec if the other side has it too, also within this machine; otherwise deflate.
    ///
    /// Conform to `CompressionCodec` of DivanCompression, and test the codec with `CodecContract`. Both sides need a
    /// codec with the same name, 1 to 16 ASCII letters and digits, which differs from the names of Divan's codecs;
    /// otherwise the replicator or listener does not start (`invalidParameter`). Like LZ4, it is negotiated by a
    /// WebSocket subprotocol. LZ4 is neither offered nor accepted.
    case codec(any CompressionCodec)
}

extension ReplicationCompression: Hashable {
    /// Whether the settings are equal; custom codecs are compared by name.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.automatic, .automatic), (.lz4, .lz4), (.none, .none): true
        case (.deflate(let first), .deflate(let second)): first == second
        case (.codec(let first), .codec(let second)): first.name == second.name
        default: false
        }
    }

    /// Hashes the setting; a custom codec by its name.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .automatic: hasher.combine(0)
        case .deflate(let level):
            hasher.combine(1)
            hasher.combine(level)
        case .lz4: hasher.combine(2)
        case .none: hasher.combine(3)
        case .codec(let codec):
            hasher.combine(4)
            hasher.combine(codec.name)
        }
    }
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

    /// - Throws: `PlugInFailure` if a custom codec cannot be negotiated.
    func check() throws(PlugInFailure) {
        if case .codec(let codec) = self { try PlugInFailure.check(codecName: codec.name) }
    }

    /// The codecs that are offered and accepted in addition to deflate by explicit request; the preferred one first.
    private var requestedCodecs: [any CompressionCodec] {
        switch self {
        case .lz4: [LZ4Codec()]
        case .codec(let codec): [codec]
        case .automatic, .deflate, .none: []
        }
    }

    /// Configures an active peer; `suits` says whether compressing messages is worthwhile on its connection.
    func apply(toActive peer: inout PeerConfiguration, suits: Bool) {
        peer.compresses = self == .automatic ? suits : self != .none
        peer.measuresLink = self == .automatic
        peer.furtherCodecs = requestedCodecs
        if self == .automatic, suits { peer.furtherCodecs = [Self.mixedCodec] }
    }

    /// Configures a passive peer; the listener handles clients on this machine.
    func apply(toPassive peer: inout PeerConfiguration) {
        peer.compresses = self != .none
        peer.measuresLink = self == .automatic
        peer.furtherCodecs = requestedCodecs
        if self == .automatic { peer.furtherCodecs = [LZ4Codec(), Self.mixedCodec] }
    }
}

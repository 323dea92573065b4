public import DivanCompression
import DivanRevisions

// Which version and codec a connection uses.
extension PeerConfiguration {
    /// The names to offer to a server: the standard ones first, then one for each further codec.
    ///
    /// Who only pushes from trees offers version 4 last, in which a database of version vectors takes
    /// tree IDs; whoever knows another version never meets it.
    public var subprotocols: [String] {
        let older = Subprotocol.offered(for: scheme)
        let last = scheme == .trees && pushesOnly ? Subprotocol.offered(for: .vectors) : []
        return older + last + further.map(\.name.rawValue)
    }

    /// Whether a version can carry the revisions of a database: those of its own scheme, and in version
    /// 4 those of trees as long as nothing comes back.
    func speaks(_ version: Subprotocol.Version, about scheme: RevisionScheme) -> Bool {
        version.scheme == scheme || (version == .four && pushesOnly)
    }

    private var pushesOnly: Bool {
        guard case .active(let options) = role else { return false }
        return options.pushes && !options.pulls
    }

    /// Chooses from what a client offers, whatever its order: our further codecs come first, then
    /// the newer version; `nil` when there is nothing in common.
    public func choose(from offered: [String]) -> Subprotocol? {
        let standard = Subprotocol.Version.all(of: scheme).map { Subprotocol($0) }
        let known = further.map(\.name) + standard
        return known.first { offered.contains($0.rawValue) }
    }

    /// Why a client that offers these cannot be served: what is spoken here, and what would help.
    public func refusal(of offered: [String]) -> String {
        let spoken = "subprotocols spoken here: \(subprotocols.joined(separator: ", "))"
        let others = RevisionScheme.allCases.filter { $0 != scheme }
        let isOfOther = others.contains { other in
            let names = Subprotocol.offered(for: other)
            return offered.contains { offer in names.contains { offer.hasPrefix($0) } }
        }
        guard isOfOther else { return spoken }
        switch scheme {
        case .vectors:
            return spoken + "; this database has version vectors, which older versions cannot carry"
        case .trees:
            return spoken + "; this database has revision trees: upgrade it to version vectors"
        }
    }

    /// The codec that an agreed subprotocol stands for; `nil` when it is none of ours.
    public func codec(for subprotocol: Subprotocol) -> (any CompressionCodec)? {
        guard subprotocol.codecName != nil else { return codec }
        return further.first { $0.name == subprotocol }?.codec
    }

    /// The name of what this side compresses with on such a connection; `"none"` when it does not.
    ///
    /// The other side decides for its own direction.
    public func usedCodecName(for subprotocol: Subprotocol) -> String {
        guard compresses, let codec = codec(for: subprotocol) else { return "none" }
        return codec.name
    }

    /// The same by the name that a handshake agreed on; `"none"` for a name that is none of ours.
    public func usedCodecName(for name: String?) -> String {
        name.flatMap { Subprotocol($0) }.map { usedCodecName(for: $0) } ?? "none"
    }

    /// Further codecs with names that can travel.
    private var further: [(name: Subprotocol, codec: any CompressionCodec)] {
        furtherCodecs.compactMap { codec in
            Subprotocol(codecName: codec.name, scheme: scheme).map { (name: $0, codec: codec) }
        }
    }
}

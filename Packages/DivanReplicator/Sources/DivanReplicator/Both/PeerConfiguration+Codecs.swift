public import DivanCompression
import DivanRevisions

// The version and codec that a connection uses.
extension PeerConfiguration {
    /// The subprotocols to offer to a server: the standard ones first, then one for each further codec.
    ///
    /// A peer that only pushes and has revision trees also offers version 4, last: in it, a database with version
    /// vectors accepts tree IDs. Servers that support another version do not use it.
    public var subprotocols: [String] {
        let older = Subprotocol.offered(for: scheme)
        let last = scheme == .trees && pushesOnly ? Subprotocol.offered(for: .vectors) : []
        return older + last + further.map(\.name.rawValue)
    }

    /// Whether a version can carry the revisions of a database: those of its own scheme, and in version 4 those of
    /// trees as long as nothing is pulled.
    func speaks(_ version: Subprotocol.Version, about scheme: RevisionScheme) -> Bool {
        version.scheme == scheme || (version == .four && pushesOnly)
    }

    private var pushesOnly: Bool {
        guard case .active(let options) = role else { return false }
        return options.pushes && !options.pulls
    }

    /// Chooses from a client's offers, regardless of their order: further codecs come first, then the newer version;
    /// `nil` if there is nothing in common.
    public func choose(from offered: [String]) -> Subprotocol? {
        let standard = Subprotocol.Version.all(of: scheme).map { Subprotocol($0) }
        let known = further.map(\.name) + standard
        return known.first { offered.contains($0.rawValue) }
    }

    /// Why a client with these offers is refused: the supported subprotocols, and what to do.
    public func refusal(of offered: [String]) -> String {
        let spoken = "supported subprotocols: \(subprotocols.joined(separator: ", "))"
        let others = RevisionScheme.allCases.filter { $0 != scheme }
        let isOfOther = others.contains { other in
            let names = Subprotocol.offered(for: other)
            return offered.contains { offer in names.contains { offer.hasPrefix($0) } }
        }
        guard isOfOther else { return spoken }
        switch scheme {
        case .vectors:
            return spoken + "; this database uses version vectors, which older versions lack"
        case .trees:
            return spoken + "; this database uses revision trees: upgrade it to version vectors"
        }
    }

    /// The codec of an agreed subprotocol; `nil` if it is not supported.
    public func codec(for subprotocol: Subprotocol) -> (any CompressionCodec)? {
        guard subprotocol.codecName != nil else { return codec }
        return further.first { $0.name == subprotocol }?.codec
    }

    /// The name of the codec with which this side compresses on such a connection; `"none"` if it does not.
    ///
    /// The other side chooses its own codec.
    public func usedCodecName(for subprotocol: Subprotocol) -> String {
        guard compresses, let codec = codec(for: subprotocol) else { return "none" }
        return codec.name
    }

    /// The same for the name that a handshake agreed on; `"none"` if it is not supported.
    public func usedCodecName(for name: String?) -> String {
        name.flatMap { Subprotocol($0) }.map { usedCodecName(for: $0) } ?? "none"
    }

    /// Further codecs whose names are valid in a subprotocol.
    private var further: [(name: Subprotocol, codec: any CompressionCodec)] {
        furtherCodecs.compactMap { codec in
            Subprotocol(codecName: codec.name, scheme: scheme).map { (name: $0, codec: codec) }
        }
    }
}

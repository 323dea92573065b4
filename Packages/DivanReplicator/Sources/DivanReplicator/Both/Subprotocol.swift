public import DivanRevisions

/// The subprotocol of a connection: a version of the protocol and a codec.
///
/// The standard names imply deflate. Names with the suffix of a codec, such as `BLIP_3+CBMobile_3+LZ4`, are specific to
/// Divan. Clients offer them after the standard ones, so that other servers never select them; Divan listeners prefer
/// them.
///
/// Source: `replication.md`, first lines; `websocket-and-urls.md` §2 (Sec-WebSocket-Protocol).
public struct Subprotocol: RawRepresentable, Hashable, Sendable {
    /// A version of the replication protocol supported by this package.
    public enum Version: String, Sendable, CaseIterable {
        /// Revision trees, flags in `changes`; Couchbase Lite 3, Sync Gateway 3 and later.
        case three = "BLIP_3+CBMobile_3"
        /// Revision trees; Couchbase Lite 2.
        case two = "BLIP_3+CBMobile_2"
        /// Version vectors; Couchbase Lite 4, Sync Gateway 4 and later.
        case four = "BLIP_3+CBMobile_4"

        /// The revision scheme of this version.
        public var scheme: RevisionScheme { self == .four ? .vectors : .trees }

        /// The versions that can sync a database with this scheme, the best first.
        static func all(of scheme: RevisionScheme) -> [Version] {
            scheme == .trees ? [.three, .two] : [.four]
        }
    }

    /// The version.
    public let version: Version
    /// The codec's name in capitals; `nil` means deflate.
    public let codecName: String?

    /// Version 3 with deflate.
    public static let version3 = Subprotocol(.three)
    /// Version 2 with deflate.
    public static let version2 = Subprotocol(.two)

    /// Version 4 with deflate.
    public static let version4 = Subprotocol(.four)

    /// The names that a client with revision trees offers to any server, the best first.
    public static let offered = offered(for: .trees)

    /// The names that a client with a database of this scheme offers to any server, the best first.
    public static func offered(for scheme: RevisionScheme) -> [String] {
        Version.all(of: scheme).map(\.rawValue)
    }

    /// A version with deflate.
    public init(_ version: Version) {
        self.version = version
        codecName = nil
    }

    /// The best version for a scheme with the codec of that name; `nil` if the name is not 1 to 16 letters and digits.
    public init?(codecName: String, scheme: RevisionScheme = .trees) {
        let capitals = codecName.uppercased()
        let isFit = capitals.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isFit, (1...16).contains(capitals.utf8.count) else { return nil }
        version = Version.all(of: scheme)[0]
        self.codecName = capitals
    }

    /// Reads the name that a handshake agreed on.
    public init?(rawValue name: String) {
        if let version = Version(rawValue: name) {
            self.init(version)
            return
        }
        for scheme in RevisionScheme.allCases {
            let prefix = Version.all(of: scheme)[0].rawValue + "+"
            guard name.hasPrefix(prefix) else { continue }
            let codecName = String(name.dropFirst(prefix.count))
            guard codecName == codecName.uppercased() else { return nil }
            self.init(codecName: codecName, scheme: scheme)
            return
        }
        return nil
    }

    /// Reads the name that a handshake agreed on.
    public init?(_ name: String) {
        self.init(rawValue: name)
    }

    /// The name on the wire.
    public var rawValue: String { version.rawValue + (codecName.map { "+" + $0 } ?? "") }
}

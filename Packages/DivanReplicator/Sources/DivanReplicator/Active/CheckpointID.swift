import DivanCrypto
public import DivanRevisions

/// Derives the name under which both peers store a checkpoint.
///
/// The name depends on the database, target, collection, channels, document IDs and filter name, so a changed
/// configuration starts from the beginning. The peer treats it as opaque. It is derived as in Couchbase Lite, so that
/// checkpoints stay valid when another implementation opens the database.
///
/// Source: `checkpoints.md` §2.
public struct CheckpointID: Hashable, Sendable, CustomStringConvertible {
    /// `cp-` and the base64 form of a digest.
    public let description: String

    /// The inputs of the name.
    public struct Inputs: Sendable {
        /// 16 random bytes stored only in this database's file.
        public var privateUUID: [UInt8]
        /// The effective URL, or a message endpoint's ID of its peer.
        public var remoteIdentity: String
        /// The scope; ignored for the default collection.
        public var scope = "_default"
        /// The collection.
        public var collection = "_default"
        /// Whether the collection pulls; part of the name for named collections only.
        public var pulls = true
        /// Whether the collection pushes; part of the name for named collections only.
        public var pushes = true
        /// Channels in the order in which they were configured.
        public var channels: [String] = []
        /// Document IDs in the order in which they were configured.
        public var documentIDs: [DocumentID] = []
        /// The name of the filters; `nil` if they have none.
        public var filter: String?

        /// Creates inputs for the default collection without filters.
        public init(privateUUID: [UInt8], remoteIdentity: String) {
            self.privateUUID = privateUUID
            self.remoteIdentity = remoteIdentity
        }
    }

    /// Derives the name.
    public init(_ inputs: Inputs) {
        let isDefault = inputs.scope == "_default" && inputs.collection == "_default"
        var items: [FleeceArray.Item] = [.string(inputs.privateUUID)]
        if !isDefault {
            items.append(.string(Array(inputs.collection.utf8)))
            items.append(.string(Array(inputs.scope.utf8)))
            items += [.bool(inputs.pulls), .bool(inputs.pushes)]
        }
        items.append(.string(Array(inputs.remoteIdentity.utf8)))
        if !inputs.channels.isEmpty || !inputs.documentIDs.isEmpty || inputs.filter != nil {
            items.append(.strings(inputs.channels.map { Array($0.utf8) }))
            items.append(inputs.filter.map { .string(Array($0.utf8)) } ?? .null)
            items.append(.null)  // the parameters of a named filter
            items.append(.strings(inputs.documentIDs.map { Array($0.text.utf8) }))
        }
        let bytes = FleeceArray.encode(items) ?? Self.longForm(items)
        let digest = isDefault ? SHA1.digest(of: bytes.span) : SHA256.digest(of: bytes.span)
        description = "cp-" + Base64.encode(digest.span)
    }

    /// For lists over 64 KiB, which Fleece's short pointers cannot span: each item preceded by its length, an encoding
    /// of our own.
    private static func longForm(_ items: [FleeceArray.Item]) -> [UInt8] {
        var output: [UInt8] = []
        func append(_ tag: UInt8, _ count: Int, _ bytes: [UInt8] = []) {
            output.append(tag)
            withUnsafeBytes(of: UInt64(count).bigEndian) { output.append(contentsOf: $0) }
            output += bytes
        }
        for item in items {
            switch item {
            case .null: append(0, 0)
            case .bool(let value): append(1, value ? 1 : 0)
            case .string(let bytes): append(2, bytes.count, bytes)
            case .strings(let list):
                append(3, list.count)
                for bytes in list { append(2, bytes.count, bytes) }
            }
        }
        return output
    }
}

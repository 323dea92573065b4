internal import DivanJSON
public import DivanQuery

/// The name of a collection and its scope; case-sensitive.
///
/// Source: `behaviour.md` §2 (names), `replication.md` §2 (the text on the wire).
public struct CollectionPath: Hashable, Sendable {
    /// The scope; `_default` unless specified.
    public let scope: String
    /// The name of the collection in the scope.
    public let name: String

    /// The collection that every database has from the start: `_default` in scope `_default`.
    public static let `default` = CollectionPath(validScope: "_default", name: "_default")

    /// Creates a path, or returns `nil` if a name violates the rules of `isValidName(_:)`.
    public init?(scope: String, name: String) {
        guard Self.isValidName(scope) || scope == Self.default.scope,
            Self.isValidName(name) || (name == Self.default.name && scope == Self.default.scope)
        else { return nil }
        self.init(validScope: scope, name: name)
    }

    /// Parses `scope.name`, or `name` for a collection in the default scope.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: self.init(scope: Self.default.scope, name: text)
        case 2: self.init(scope: String(parts[0]), name: String(parts[1]))
        default: return nil
        }
    }

    private init(validScope scope: String, name: String) {
        self.scope = scope
        self.name = name
    }

    /// The name in messages and URLs, prefixed with the scope unless it is the default scope.
    public var wireName: String {
        scope == Self.default.scope ? name : "\(scope).\(name)"
    }

    /// Whether the text can be the name of a scope or collection that a user creates.
    ///
    /// Names have 1 to 251 characters of `A–Z a–z 0–9 _ - %`. The first character cannot be `_` or `%`.
    public static func isValidName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "_"), first != UInt8(ascii: "%"),
            text.utf8.count <= StorageLimits.nameByteCount
        else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "%"):
                true
            default:
                false
            }
        }
    }
}

extension CollectionPath: CustomStringConvertible {
    /// Always both parts, `scope.name`.
    public var description: String { "\(scope).\(name)" }
}

extension QueryCollection {
    /// Converts a collection path to the form that queries and indexes use.
    public init(_ path: CollectionPath) {
        self.init(scope: ExactText(path.scope), name: ExactText(path.name))
    }
}

extension CollectionPath {
    /// The collection in a query; `nil` if it is not a valid collection name.
    public init?(_ collection: QueryCollection) {
        self.init(scope: collection.scope.text, name: collection.name.text)
    }
}

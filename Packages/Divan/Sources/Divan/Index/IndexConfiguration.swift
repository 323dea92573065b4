import DivanQuery
import Foundation

/// What an index is made of, in SQL++.
///
/// The configurations of this module are the only ones.
public protocol IndexConfiguration: Sendable {}

/// An index of the values of expressions, for conditions, orders and groups.
///
/// Source: `api.md` §5.
public struct ValueIndexConfiguration: IndexConfiguration {
    /// The expressions, in the order in which they are compared.
    public let expressions: [String]
    /// The condition of the documents that are indexed; `nil` is all.
    public let `where`: String?

    /// Describes an index of SQL++ expressions; names such as `es-detail` need back-quotes.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}

/// An index of the words of text, for `MATCH`.
///
/// Source: `api.md` §5.
public struct FullTextIndexConfiguration: IndexConfiguration {
    /// Whether accents are ignored when nothing is said: no.
    public static let defaultIgnoreAccents = false

    /// The expressions whose text is indexed.
    public let expressions: [String]
    /// The condition of the documents that are indexed; `nil` is all.
    public let `where`: String?
    /// Whether `café` and `cafe` are one word.
    public let ignoreAccents: Bool
    /// The language whose endings are cut off, such as `en`; `""` is none, `nil` that of the
    /// current locale.
    ///
    /// One that is not known is none, with a warning in the log.
    public let language: String?

    /// Describes an index of text.
    public init(
        _ expressions: [String],
        where condition: String? = nil,
        ignoreAccents: Bool? = defaultIgnoreAccents,
        language: String? = nil
    ) {
        self.expressions = expressions
        self.where = condition
        self.ignoreAccents = ignoreAccents ?? Self.defaultIgnoreAccents
        self.language = language
    }
}

/// An index of the items of arrays, for `UNNEST`.
///
/// Source: `api.md` §5.
public struct ArrayIndexConfiguration: IndexConfiguration {
    /// The way to the array; `contacts[].phones` leads through the items of another.
    public let path: String
    /// What of the items is indexed; `nil` is the items themselves.
    public let expressions: [String]?

    /// Describes an index of items.
    ///
    /// No expressions, or an empty one, is misuse and stops the program: pass `nil`.
    public init(path: String, expressions: [String]? = nil) {
        if let expressions, expressions.isEmpty || expressions == [""] {
            stopForMisuse("Empty expressions is not allowed, use nil instead")
        }
        self.path = path
        self.expressions = expressions
    }
}

import DivanQuery
import Foundation

/// The definition of an index, in SQL++.
///
/// Only the configurations of this module can be used.
public protocol IndexConfiguration: Sendable {}

/// An index of the values of expressions, for conditions, sorting and grouping.
///
/// Source: `sqlpp.md` §11.
public struct ValueIndexConfiguration: IndexConfiguration {
    /// The expressions, in order of precedence.
    public let expressions: [String]
    /// The condition for documents to index; `nil` for all documents.
    public let `where`: String?

    /// Creates a configuration with SQL++ expressions; names such as `es-detail` need backquotes.
    public init(_ expressions: [String], where condition: String? = nil) {
        self.expressions = expressions
        self.where = condition
    }
}

/// An index of the words in text, for `MATCH`.
///
/// Source: `sqlpp.md` §11.
public struct FullTextIndexConfiguration: IndexConfiguration {
    /// The default of ``ignoreAccents``: accents matter.
    public static let defaultIgnoreAccents = false

    /// The expressions whose text is indexed.
    public let expressions: [String]
    /// The condition for documents to index; `nil` for all documents.
    public let `where`: String?
    /// Whether to ignore accents, so that `café` and `cafe` are the same word.
    public let ignoreAccents: Bool
    /// The language for stemming, such as `en`; `""` for none, `nil` for the language of the current locale.
    ///
    /// For an unsupported language, words are not stemmed, and a warning is logged.
    public let language: String?

    /// Creates a configuration for text.
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
/// Source: `sqlpp.md` §11.
public struct ArrayIndexConfiguration: IndexConfiguration {
    /// The path to the array; `contacts[].phones` is the array `phones` in each item of `contacts`.
    public let path: String
    /// The parts of the items to index; `nil` for the items themselves.
    public let expressions: [String]?

    /// Creates a configuration for items.
    ///
    /// An empty array or an empty expression stops the program: pass `nil`.
    public init(path: String, expressions: [String]? = nil) {
        if let expressions, expressions.isEmpty || expressions == [""] {
            stopForMisuse("Empty expressions is not allowed, use nil instead")
        }
        self.path = path
        self.expressions = expressions
    }
}

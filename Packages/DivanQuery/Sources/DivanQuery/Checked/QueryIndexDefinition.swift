public import DivanJSON

/// What an index holds; expressions speak of source 0, the collection.
public enum QueryIndexDefinition: Hashable, Sendable {
    /// Values of expressions, in order; only of documents that meet the condition.
    case value([CheckedKey], filter: CheckedExpression?)
    /// Items below a path: each path leads from an item of the one before it. The keys speak of
    /// the source with the number of paths, the items; no key means the items themselves.
    case array([QueryPath], [CheckedKey])
    /// Words of expressions, each a column under its name; `tokenizer` is what FTS5 is told of how
    /// text becomes words, and has letters, digits, `_` and spaces only.
    case fullText([FullTextColumn], tokenizer: String, filter: CheckedExpression?)

    /// A column of a full-text index.
    public struct FullTextColumn: Hashable, Sendable {
        /// What `column:word` calls it.
        public var name: ExactText
        /// The text.
        public var expression: CheckedExpression

        /// Creates a column.
        public init(name: ExactText, _ expression: CheckedExpression) {
            self.name = name
            self.expression = expression
        }
    }
}

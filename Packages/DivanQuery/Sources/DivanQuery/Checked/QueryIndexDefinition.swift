public import DivanJSON

/// The definition of an index; its expressions refer to source 0, the collection.
public enum QueryIndexDefinition: Hashable, Sendable {
    /// Values of expressions, in order, of the documents that meet the condition.
    case value([CheckedKey], filter: CheckedExpression?)
    /// Items below a path: each path leads from an item of the previous one.
    ///
    /// The keys refer to the items, the source whose number is the number of paths; no key means the items
    /// themselves.
    case array([QueryPath], [CheckedKey])
    /// Words of expressions, each a named column; `tokenizer` is the FTS5 tokenizer option, which contains only
    /// letters, digits, `_` and spaces.
    case fullText([FullTextColumn], tokenizer: String, filter: CheckedExpression?)
    /// The output of a model, `CheckedExpression.prediction`, and parts of it, each in an order.
    case predictive(CheckedExpression, [QueryPath])
    /// Vectors, for searches by distance.
    case vector(CheckedExpression, QueryVectorOptions)

    /// A column of a full-text index.
    public struct FullTextColumn: Hashable, Sendable {
        /// Its name in `column:word`.
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

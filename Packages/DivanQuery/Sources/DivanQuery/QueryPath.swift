public import DivanJSON

/// A path from a value to a part of it: object keys and array positions.
///
/// A path without steps is the value itself.
public struct QueryPath: Hashable, Sendable {
    /// A step of a path.
    public enum Step: Hashable, Sendable {
        /// The value of an object's key.
        case key(ExactText)
        /// An array item; negative positions count from the end.
        case item(Int)
    }

    /// The steps, outermost first.
    public var steps: [Step]

    /// Creates a path from steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates a path from literal keys, which may contain dots.
    public init(keys: String...) {
        steps = keys.map { .key(ExactText($0)) }
    }

    /// Whether the path is the value itself.
    public var isEmpty: Bool { steps.isEmpty }

    /// The keys in it.
    var keys: [ExactText] {
        steps.compactMap { if case .key(let key) = $0 { key } else { nil } }
    }

    /// The path without its first `count` steps.
    public func dropping(_ count: Int) -> QueryPath {
        QueryPath(Array(steps.dropFirst(count)))
    }
}

extension QueryPath: ExpressibleByStringLiteral {
    /// Creates a path with one key.
    public init(stringLiteral key: String) {
        self.init(keys: key)
    }
}

public import DivanJSON

/// A path from a value down to a part of it: keys of objects and positions in arrays.
///
/// A path without steps is the value itself.
public struct QueryPath: Hashable, Sendable {
    /// One step down.
    public enum Step: Hashable, Sendable {
        /// To the value under a key of an object.
        case key(ExactText)
        /// To an item of an array; negative positions count from the end.
        case item(Int)
    }

    /// The steps, from the top down.
    public var steps: [Step]

    /// Creates a path of steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates a path of keys, each taken literally, including dots.
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
    /// Creates a path of one key.
    public init(stringLiteral key: String) {
        self.init(keys: key)
    }
}

import DivanJSON

/// The depth of a walk through containers.
///
/// A container can be put into itself; a walk through it would never end. Stored values and those from peers are
/// limited when parsed, so only a program can build a value that is refused here.
struct Nesting {
    /// Far above what can be saved (`JSONLimits.depth`), and within a stack of 2 MiB.
    private static let limit = 1_000

    /// The number of enclosing containers; the outermost counts as 1.
    private let depth: Int

    private init(depth: Int) {
        self.depth = depth
    }

    /// The outermost container.
    static let outermost = Nesting(depth: 1)

    /// The nesting one container deeper.
    ///
    /// Stops the program if the containers contain themselves.
    var inner: Nesting {
        guard depth < Self.limit else {
            stopForMisuse(
                "containers are nested more than \(Self.limit) levels deep, or one contains "
                    + "itself; flatten the document"
            )
        }
        return Nesting(depth: depth + 1)
    }
}

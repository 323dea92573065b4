import DivanJSON

/// How deep a walk through containers has come.
///
/// A container can be put into itself; a walk through it would never end. What is stored or comes
/// from a peer is bounded when it is parsed, so only a program can build what is refused here.
struct Nesting {
    /// Far above what can be saved (`JSONLimits.depth`), and within a stack of 2 MiB.
    private static let limit = 1_000

    /// The containers around; the outermost counts as 1.
    private let depth: Int

    private init(depth: Int) {
        self.depth = depth
    }

    /// The outermost container.
    static let outermost = Nesting(depth: 1)

    /// One container further in.
    ///
    /// Stops the program when the containers hold themselves.
    var inner: Nesting {
        guard depth < Self.limit else {
            stopForMisuse(
                "Containers are nested deeper than \(Self.limit), or one holds itself; "
                    + "saving such a document throws, reading it as a whole is impossible"
            )
        }
        return Nesting(depth: depth + 1)
    }
}

/// Carries something that is created and used on only one loop through code that requires `Sendable`.
///
/// `@unchecked Sendable` is correct because both ends are checked: the value is bound on the loop and returned only
/// there. Any other use is a programming error that ends the program.
public struct LoopBound<Value>: @unchecked Sendable {
    private let bound: Value
    private let loop: any EventLoop

    /// Binds a value to the loop on which the caller runs.
    public init(_ value: Value, to loop: any EventLoop) {
        precondition(loop.isCurrent, "bind a value to a loop only on that loop")
        bound = value
        self.loop = loop
    }

    /// The value, for callers on its loop.
    public var value: Value {
        precondition(loop.isCurrent, "the value belongs to another loop")
        return bound
    }
}

extension EventLoop {
    /// Like `execute`, for work that stays on this loop; the caller must be on it.
    ///
    /// The captured values need no lock and need not be `Sendable`.
    public func executeHere(_ work: @escaping () -> Void) {
        let bound = LoopBound(work, to: self)
        execute { bound.value() }
    }

    /// Like `schedule`, for work that stays on this loop; the caller must be on it.
    @discardableResult
    public func scheduleHere(at deadline: Duration, _ work: @escaping () -> Void) -> TimerToken {
        let bound = LoopBound(work, to: self)
        return schedule(at: deadline) { bound.value() }
    }
}

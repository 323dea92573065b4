/// Something that is made and used on one loop alone, on its way through places that ask for
/// `Sendable`.
///
/// `@unchecked Sendable` holds because both ends are checked: it is made on the loop, and its value
/// is only given out there. Another use is a mistake of the program and stops it.
public struct LoopBound<Value>: @unchecked Sendable {
    private let bound: Value
    private let loop: any EventLoop

    /// Binds a value to the loop that the caller is on.
    public init(_ value: Value, to loop: any EventLoop) {
        precondition(loop.isCurrent, "a value can be bound to a loop on that loop only")
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
    /// As `execute`, for work that stays on this loop, where the caller is.
    ///
    /// What it captures needs no lock and need not be `Sendable`.
    public func executeHere(_ work: @escaping () -> Void) {
        let bound = LoopBound(work, to: self)
        execute { bound.value() }
    }

    /// As `schedule`, for work that stays on this loop, where the caller is.
    @discardableResult
    public func scheduleHere(at deadline: Duration, _ work: @escaping () -> Void) -> TimerToken {
        let bound = LoopBound(work, to: self)
        return schedule(at: deadline) { bound.value() }
    }
}

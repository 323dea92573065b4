import DivanPlatform

/// Gives the processor to other threads for a tenth of a second, or until a condition holds.
///
/// For tests in which another thread must have come as far as it can. A number of yields would be a matter of
/// microseconds on an idle machine, and of minutes on a busy one.
public func letOthersRun(until isDone: () -> Bool = { false }) {
    let end = ContinuousClock.now + .milliseconds(100)
    while !isDone(), ContinuousClock.now < end { CurrentThread.yield() }
}

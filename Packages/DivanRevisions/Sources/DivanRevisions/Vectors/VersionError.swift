/// Why a version, a vector or a time is refused.
public enum VersionError: Error, Equatable {
    /// The text at this byte is neither a version nor, where one is allowed, a tree ID.
    case malformedText(offset: Int)
    /// The stored form is damaged at this byte.
    case malformedBytes(offset: Int)
    /// A source occurs twice where it may occur only once.
    case repeatedSource(SourceID)
    /// There are more entries than `limit`.
    case tooManyEntries(limit: Int)
    /// The time is below 2⁴⁰ or above 2⁶³−1.
    case invalidTime(UInt64)
    /// The time is more than two minutes ahead of the wall clock.
    case timeInFuture(UInt64, wall: UInt64)
    /// No later time is left.
    case clockExhausted
    /// Both sides of a merge are by one source, so one of them is newer.
    case mergeOfOneSource(SourceID)
    /// The generation is too great for a time.
    case unconvertible(RevisionID)
}

extension VersionError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .malformedText(let offset):
            """
            Version vector at byte \(offset): no version; write time@source, sources of 22 \
            characters, one semicolon at most
            """
        case .malformedBytes(let offset):
            "Stored version vector at byte \(offset): damaged; restore a copy or pull the document"
        case .repeatedSource(let source):
            "Version vector: source \(source) stands in it twice; send its newest version only"
        case .tooManyEntries(let limit):
            "Version vector: more than \(limit) entries; prune the oldest at the sender"
        case .invalidTime(let time):
            """
            Version: invalid time \(String(time, radix: 16)); send nanoseconds since 1970 between \
            2^40 and 2^63
            """
        case .timeInFuture(let time, let wall):
            """
            Version: time \(String(time, radix: 16)) is more than two minutes ahead of \
            \(String(wall, radix: 16)); set the clock that is wrong, the sender's or ours; then the sender runs \
            divan repair-clock
            """
        case .clockExhausted:
            "Clock: no later time is left; set the system's clock, then run divan repair-clock"
        case .mergeOfOneSource(let source):
            "Merge: both versions are by source \(source); take the newer"
        case .unconvertible(let id):
            "Revision \(id): its generation is too great for a version; save the document anew"
        }
    }
}

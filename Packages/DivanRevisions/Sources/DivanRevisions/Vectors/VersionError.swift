/// The reason why a version, a vector or a time is rejected.
public enum VersionError: Error, Equatable {
    /// The text at this byte is not a version, or a tree ID where one is allowed.
    case malformedText(offset: Int)
    /// The stored form is damaged at this byte.
    case malformedBytes(offset: Int)
    /// A source occurs twice where only one occurrence is allowed.
    case repeatedSource(SourceID)
    /// A source that does not write revisions is the writer of the revision, or of a merged version.
    case pseudoSource(SourceID)
    /// There are more entries than `limit`.
    case tooManyEntries(limit: Int)
    /// The time is below 2⁴⁰ or above 2⁶³−1.
    case invalidTime(UInt64)
    /// The time is more than two minutes ahead of the wall clock.
    case timeInFuture(UInt64, wall: UInt64)
    /// No later time is left.
    case clockExhausted
    /// Both sides of a merge have the same source, so one of them is newer.
    case mergeOfOneSource(SourceID)
    /// The generation is too large to be converted to a time.
    case unconvertible(RevisionID)
}

extension VersionError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .malformedText(let offset):
            """
            version vector: invalid version at byte \(offset); write time@source, with sources \
            of 22 characters and at most one semicolon
            """
        case .malformedBytes(let offset):
            """
            stored version vector: damaged at byte \(offset); restore a backup, or pull the \
            document
            """
        case .repeatedSource(let source):
            "version vector: duplicate source \(source); send only its newest version"
        case .pseudoSource(let source):
            "version vector: source \(source) writes no revisions; send it after a semicolon"
        case .tooManyEntries(let limit):
            "version vector: more than \(limit) entries; prune the oldest at the sender"
        case .invalidTime(let time):
            """
            version: invalid time \(String(time, radix: 16)); send nanoseconds since 1970, from \
            2^40 to 2^63 - 1
            """
        case .timeInFuture(let time, let wall):
            """
            version: time \(String(time, radix: 16)) is more than two minutes ahead of the \
            local time \(String(wall, radix: 16)); correct the clock that is wrong, then run \
            'divan repair-clock' on the sender
            """
        case .clockExhausted:
            """
            clock: no later time is possible; correct the system clock, then run \
            'divan repair-clock'
            """
        case .mergeOfOneSource(let source):
            "merge: both versions have source \(source); use the newer version"
        case .unconvertible(let id):
            """
            revision \(id): its generation is too large to convert to a version; save the \
            document as a new one
            """
        }
    }
}

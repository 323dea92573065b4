/// The reason why an old body cannot be unpacked.
public enum BodyArchiveError: Error, Equatable, Sendable {
    /// The archive does not have the codec of the body.
    case unknownCodec(number: UInt8)
    /// The bytes or the base differ from the original; the reason.
    case damaged(String)
}

extension BodyArchiveError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .unknownCodec(let number):
            "old body: compressed with unknown codec \(number); pass that codec to "
                + "BodyArchive(reading:)"
        case .damaged(let detail):
            "old body: damaged (\(detail)); restore a backup, or pull the revision again"
        }
    }
}

/// Why an old body cannot be unpacked.
public enum BodyArchiveError: Error, Equatable, Sendable {
    /// It was packed with a codec that the archive was not given.
    case unknownCodec(number: UInt8)
    /// The bytes are not what was packed, or the base is another one; the reason.
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

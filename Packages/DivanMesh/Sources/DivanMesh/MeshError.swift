/// Input for a mesh that is invalid: from a peer, from the network, or from the application.
public enum MeshError: Error, Equatable, Sendable {
    /// A group name is empty, longer than `MeshLimits.groupByteCount`, or has a forbidden character.
    case invalidGroup(String)
    /// An address is not `host:port`.
    case invalidAddress([UInt8])
    /// A message, or an announcement, of another version, or without one.
    case unsupportedVersion
    /// A value is missing or invalid.
    case invalidValue(key: String)
    /// A message, or an announcement, exceeds its limit.
    case tooLong(byteCount: Int, limit: Int)
    /// A list exceeds its limit.
    case tooMany(String, count: Int, limit: Int)
    /// A message ends before its last value.
    case truncated(missingByteCount: Int)
    /// A message continues after its last value.
    case trailingBytes(byteCount: Int)
    /// The first record of a message is not the sender's.
    case foreignRecord
}

extension MeshError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .invalidGroup(let name):
            "mesh: invalid group name \(name.debugDescription); use 1 to "
                + "\(MeshLimits.groupByteCount) bytes without control characters and . , \\"
        case .invalidAddress(let bytes):
            "mesh: invalid address \(Self.quoted(bytes)); use host:port, with an IPv6 address in "
                + "square brackets"
        case .unsupportedVersion:
            "mesh: unsupported message version; update Divan on both peers"
        case .invalidValue(let key):
            "mesh announcement: missing or invalid value of \(key); update Divan on the peer"
        case .tooLong(let byteCount, let limit):
            "mesh: message of \(byteCount) bytes exceeds the limit of \(limit); "
                + "the peer must send less at once"
        case .tooMany(let items, let count, let limit):
            "mesh: message with \(count) \(items) exceeds the limit of \(limit); "
                + "the peer must send fewer at once"
        case .truncated(let byteCount):
            "mesh: message is \(byteCount) bytes too short; update Divan on the peer"
        case .trailingBytes(let byteCount):
            "mesh: message is \(byteCount) bytes too long; "
                + "update Divan on the peer"
        case .foreignRecord:
            "mesh: message does not begin with its sender's ID; update Divan on the peer"
        }
    }

    /// The beginning of untrusted text, with control characters escaped.
    private static func quoted(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription
    }
}

/// The flags byte of a frame.
///
/// Source: `blip.md` §2.
struct FrameFlags: Equatable, Sendable {
    static let typeMask: UInt8 = 0x07
    static let compressed: UInt8 = 0x08
    static let urgent: UInt8 = 0x10
    static let noReply: UInt8 = 0x20
    static let moreComing: UInt8 = 0x40

    var bits: UInt8

    var kind: FrameKind? { FrameKind(rawValue: bits & Self.typeMask) }
    var isCompressed: Bool { bits & Self.compressed != 0 }
    var isUrgent: Bool { bits & Self.urgent != 0 }
    var isNoReply: Bool { bits & Self.noReply != 0 }
    var hasMoreComing: Bool { bits & Self.moreComing != 0 }
}

/// What kind of message a frame belongs to.
enum FrameKind: UInt8, Sendable {
    case request = 0
    case reply = 1
    case errorReply = 2
    case acknowledgesRequest = 4
    case acknowledgesReply = 5
}

/// A message on the wire: requests and replies are numbered separately.
struct MessageKey: Hashable, Sendable {
    let number: UInt64
    let isReply: Bool
}

/// The header of a frame, for tools that only observe a connection.
///
/// It needs no connection. Only the `BLIPConnection` that receives the frame can check whether it is in order,
/// complete and correct.
///
/// Source: `blip.md` §2.
public struct BLIPFrameOutline: Equatable, Sendable {
    /// The kind of message that a frame belongs to.
    public enum Kind: Equatable, Sendable {
        /// A request.
        case request
        /// A reply.
        case reply
        /// A reply that reports a failure.
        case errorReply
        /// Acknowledges received bytes of a request, without frame headers.
        case acknowledgesRequest(byteCount: UInt64)
        /// Acknowledges received bytes of a reply, without frame headers.
        case acknowledgesReply(byteCount: UInt64)
        /// An unknown type; peers skip such frames.
        case unknown(UInt8)
    }

    /// The kind of message.
    public let kind: Kind
    /// The number of the request that it belongs to, or replies to.
    public let number: UInt64
    /// Whether the payload is compressed.
    public let isCompressed: Bool
    /// Whether the message is urgent.
    public let isUrgent: Bool
    /// Whether the message expects no reply.
    public let isNoReply: Bool
    /// Whether further frames of the message follow.
    public let hasMoreComing: Bool
    /// The size of the frame in bytes.
    public let byteCount: Int

    /// Parses a frame, which is one WebSocket message.
    ///
    /// - Throws: `BLIPError` with `truncatedFrame` or `varintTooLong`; its frame index is 0.
    public init(_ frame: Span<UInt8>) throws(BLIPError) {
        do throws(BLIPError.Reason) {
            let header = try FrameHeader(frame)
            kind = try Self.kind(of: frame, header)
            number = header.number
            isCompressed = header.flags.isCompressed
            isUrgent = header.flags.isUrgent
            isNoReply = header.flags.isNoReply
            hasMoreComing = header.flags.hasMoreComing
            byteCount = frame.count
        } catch {
            throw BLIPError(reason: error, frameIndex: 0)
        }
    }

    private static func kind(
        of frame: Span<UInt8>,
        _ header: FrameHeader
    ) throws(BLIPError.Reason) -> Kind {
        var offset = header.byteCount
        return switch header.flags.kind {
        case .request: .request
        case .reply: .reply
        case .errorReply: .errorReply
        case .acknowledgesRequest:
            .acknowledgesRequest(byteCount: try FrameHeader.requiredVarint(frame, at: &offset))
        case .acknowledgesReply:
            .acknowledgesReply(byteCount: try FrameHeader.requiredVarint(frame, at: &offset))
        case nil: .unknown(header.flags.bits & FrameFlags.typeMask)
        }
    }
}

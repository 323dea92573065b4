/// What the start of a frame says about it, before its payload, for tools that only observe.
///
/// It needs no connection: only the `BLIPConnection` that receives the frame can tell whether it is in order, complete
/// or correct.
///
/// Source: `blip.md` §2.
public struct BLIPFrameOutline: Equatable, Sendable {
    /// What kind of message a frame belongs to.
    public enum Kind: Equatable, Sendable {
        /// A request.
        case request
        /// A reply.
        case reply
        /// A reply that reports a failure.
        case errorReply
        /// Reports how many bytes of a request have arrived, without their headers.
        case acknowledgesRequest(byteCount: UInt64)
        /// The same for a reply.
        case acknowledgesReply(byteCount: UInt64)
        /// A type that this version does not know; peers skip such frames.
        case unknown(UInt8)
    }

    /// What it belongs to.
    public let kind: Kind
    /// The number of the request to which it belongs, or which it answers.
    public let number: UInt64
    /// Whether the payload is compressed.
    public let isCompressed: Bool
    /// Whether the message may overtake others.
    public let isUrgent: Bool
    /// Whether the message wants no reply.
    public let isNoReply: Bool
    /// Whether further frames of the message follow.
    public let hasMoreComing: Bool
    /// Bytes of the whole frame.
    public let byteCount: Int

    /// Reads a frame, which is one WebSocket message.
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

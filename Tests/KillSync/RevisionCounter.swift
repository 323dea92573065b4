import DivanWebSocket

/// Reads one direction of a conversation, and counts the revisions in it.
///
/// For conversations on this machine, which are neither encrypted nor compressed.
///
/// Source: `blip.md` §2, §3 (frames and properties).
struct RevisionCounter {
    private static let moreComing: UInt8 = 0x40
    private static let compressed: UInt8 = 0x08
    private static let typeMask: UInt8 = 0x07

    private var head: [UInt8]? = []  // the handshake; `nil` when it is over
    private var frames: FrameDecoder
    /// Requests that have begun, by number; whether each is a revision.
    private var open: [UInt64: Bool] = [:]

    init(sender: Role) {
        frames = FrameDecoder(sender: sender)
    }

    /// Takes the next bytes; returns how many revisions they complete.
    ///
    /// - Throws: `FrameError`, or `KillSyncFailure` for a frame that cannot be read.
    mutating func receive(_ bytes: ArraySlice<UInt8>) throws -> Int {
        frames.receive(afterHead(bytes).span)
        var count = 0
        while let frame = try frames.next() {
            if frame.opcode == .binary, try completesRevision(frame.payload) { count += 1 }
        }
        return count
    }

    private mutating func afterHead(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let begun = head else { return bytes }
        let all = begun + bytes
        let end = Array("\r\n\r\n".utf8)
        guard let start = all.indices.first(where: { all[$0...].starts(with: end) }) else {
            head = all
            return []
        }
        head = nil
        return all[(start + end.count)...]
    }

    private mutating func completesRevision(_ frame: ArraySlice<UInt8>) throws -> Bool {
        var rest = frame
        guard let number = rest.popVarint(), let flags = rest.popFirst() else {
            throw KillSyncFailure("a frame of \(frame.count) bytes without a number")
        }
        guard flags & Self.typeMask == 0 else { return false }  // no request
        guard flags & Self.compressed == 0 else { throw KillSyncFailure("a compressed frame") }
        let isRevision = open[number] ?? rest.isRevision
        open[number] = flags & Self.moreComing == 0 ? nil : isRevision
        return isRevision && flags & Self.moreComing == 0
    }
}

extension ArraySlice<UInt8> {
    /// Removes an unsigned LEB128 number from the front.
    fileprivate mutating func popVarint() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        return nil
    }

    /// Whether the properties at the front are those of a revision.
    fileprivate var isRevision: Bool {
        var rest = self
        guard let byteCount = rest.popVarint() else { return false }
        let words = rest.prefix(Int(clamping: byteCount)).split(separator: 0)
        guard let name = words.firstIndex(where: { $0.elementsEqual("Profile".utf8) }) else {
            return false
        }
        return words.dropFirst(name + 1).first?.elementsEqual("rev".utf8) == true
    }
}

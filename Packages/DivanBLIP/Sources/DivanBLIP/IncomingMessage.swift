/// A message that arrives in several frames: properties first, then the body.
struct IncomingMessage {
    /// From the first frame; those of later frames do not count.
    let flags: FrameFlags
    /// `nil` until they are complete.
    private(set) var properties: BLIPProperties?
    /// Unread body bytes, in order of arrival: one growing array would be copied as it grows, and hold up to three
    /// times what arrived.
    private var pieces: [[UInt8]] = []
    private var bodyByteCount = 0
    private var head: [UInt8] = []  // what came before the properties were complete
    private var countedByteCount = 0
    private var acknowledgedByteCount = 0

    init(flags: FrameFlags) {
        self.flags = flags
    }

    /// Small frames share a piece.
    private static let pieceByteCount = 64 << 10

    /// Uncompressed bytes that are held.
    var heldByteCount: Int { head.count + bodyByteCount + (properties?.byteCount ?? 0) }

    /// Adds a frame's uncompressed payload.
    mutating func append(
        _ plain: Span<UInt8>,
        limits: BLIPLimits
    ) throws(BLIPError.Reason) {
        guard properties == nil else {
            add(plain)
            return
        }
        if head.isEmpty, try begin(plain, limits: limits) { return }
        // Appended in place: however small the frames are, each byte is copied once.
        plain.withUnsafeBufferPointer { head.append(contentsOf: $0) }
        guard head.count > plain.count else { return }
        var whole: [UInt8] = []
        swap(&whole, &head)
        if try !begin(whole.span, limits: limits) { head = whole }
    }

    /// Reads the properties and the bytes after them; false if they are not complete.
    private mutating func begin(
        _ bytes: Span<UInt8>,
        limits: BLIPLimits
    ) throws(BLIPError.Reason) -> Bool {
        guard let block = try PropertyBlock.read(bytes, limit: limits.propertiesByteCount) else {
            return false
        }
        properties = block.properties
        add(bytes.extracting(block.bodyOffset..<bytes.count))
        return true
    }

    private mutating func add(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        bodyByteCount += bytes.count
        let last = pieces.count - 1
        if last >= 0, pieces[last].count + bytes.count <= Self.pieceByteCount {
            bytes.withUnsafeBufferPointer { pieces[last].append(contentsOf: $0) }
        } else {
            pieces.append(bytes.withUnsafeBufferPointer { Array($0) })
        }
    }

    /// Removes and returns the bytes of the body so far.
    mutating func takeBody() -> [UInt8] {
        defer { drop() }
        guard pieces.count > 1 else { return pieces.first ?? [] }
        var body: [UInt8] = []
        body.reserveCapacity(bodyByteCount)
        for piece in pieces { body.append(contentsOf: piece) }
        return body
    }

    private mutating func drop() {
        pieces = []
        bodyByteCount = 0
    }

    /// Drops what is held; later frames are only counted.
    mutating func discard() {
        properties = nil
        head = []
        drop()
    }

    /// Counts a frame's bytes after its header; returns the total if it must be acknowledged.
    mutating func count(_ byteCount: Int) -> Int? {
        countedByteCount += byteCount
        guard countedByteCount - acknowledgedByteCount >= Wire.acknowledgeInterval else {
            return nil
        }
        acknowledgedByteCount = countedByteCount
        return countedByteCount
    }
}

/// A message that comes in several frames: properties first, then the body.
struct IncomingMessage {
    /// Of the first frame; those of later frames do not count.
    let flags: FrameFlags
    /// `nil` until they are complete.
    private(set) var properties: BLIPProperties?
    /// Bytes behind the properties that nobody has taken.
    private(set) var body: [UInt8] = []
    private var head: [UInt8] = []  // what came before the properties were complete
    private var countedByteCount = 0
    private var acknowledgedByteCount = 0

    init(flags: FrameFlags) {
        self.flags = flags
    }

    /// Plain bytes that are held.
    var heldByteCount: Int { head.count + body.count + (properties?.byteCount ?? 0) }

    /// Adds a frame's plain payload.
    mutating func append(
        _ plain: Span<UInt8>,
        limits: BLIPConnection.Limits
    ) throws(BLIPError.Reason) {
        guard properties == nil else {
            plain.withUnsafeBufferPointer { body.append(contentsOf: $0) }
            return
        }
        if head.isEmpty, try begin(plain, limits: limits) { return }
        // Added to in place: however small the frames are, each byte is copied once.
        plain.withUnsafeBufferPointer { head.append(contentsOf: $0) }
        guard head.count > plain.count else { return }
        var whole: [UInt8] = []
        swap(&whole, &head)
        if try !begin(whole.span, limits: limits) { head = whole }
    }

    /// Reads the properties and what stands behind them; false when they are not complete.
    private mutating func begin(
        _ bytes: Span<UInt8>,
        limits: BLIPConnection.Limits
    ) throws(BLIPError.Reason) -> Bool {
        guard let block = try PropertyBlock.read(bytes, limit: limits.propertiesByteCount) else {
            return false
        }
        properties = block.properties
        let rest = bytes.extracting(block.bodyOffset..<bytes.count)
        body = rest.withUnsafeBufferPointer { Array($0) }
        return true
    }

    /// Takes the bytes of the body so far, and leaves none.
    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }

    /// Drops what is held; later frames are only counted.
    mutating func discard() {
        properties = nil
        head = []
        body = []
    }

    /// Counts a frame's bytes behind its header; returns the total when it is to be acknowledged.
    mutating func count(_ byteCount: Int) -> Int? {
        countedByteCount += byteCount
        guard countedByteCount - acknowledgedByteCount >= Wire.acknowledgeInterval else {
            return nil
        }
        acknowledgedByteCount = countedByteCount
        return countedByteCount
    }
}

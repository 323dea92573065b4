/// Reads the body of one request, each byte once, under limits.
///
/// Source: RFC 9112 §6, §7.1.
struct HTTPBodyReader: Sendable {
    /// What is expected next.
    private enum State: Equatable {
        case content(rest: Int)
        case chunkLine
        case chunk(rest: Int)
        /// The line ending after a chunk.
        case chunkEnd
        case trailers
        case complete
    }

    private let limits: HTTPLimits
    private let byteLimit: Int
    private var state: State
    private var line: [UInt8] = []
    private var trailerByteCount = 0
    private var content: [UInt8] = []

    /// - Throws: `HTTPError` 413 if the announced length exceeds `byteLimit`.
    init(_ framing: HTTPRequest.Framing, byteLimit: Int, limits: HTTPLimits) throws(HTTPError) {
        self.limits = limits
        self.byteLimit = byteLimit
        switch framing {
        case .none: state = .complete
        case .length(let count):
            state = .content(rest: count)
            guard count <= byteLimit else { throw tooLarge }
        case .chunked: state = .chunkLine
        }
    }

    /// Bytes of the body received so far.
    var byteCount: Int { content.count }

    /// The body once it is complete.
    var complete: [UInt8]? { state == .complete ? content : nil }

    /// Takes bytes from the front of `bytes`, and returns how many of them belong to the body.
    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            switch state {
            case .complete: return bytes.count - rest.count
            case .content(let wanted):
                let count = take(wanted, from: &rest)
                state = wanted == count ? .complete : .content(rest: wanted - count)
            case .chunk(let wanted):
                let count = take(wanted, from: &rest)
                state = wanted == count ? .chunkEnd : .chunk(rest: wanted - count)
            case .chunkLine, .chunkEnd, .trailers:
                guard let whole = try takeLine(from: &rest) else { break }
                try end(whole)
            }
        }
        return bytes.count
    }

    private var tooLarge: HTTPError {
        HTTPError(413, "the body exceeds \(byteLimit) bytes; send less at a time")
    }

    private mutating func take(_ wanted: Int, from rest: inout ArraySlice<UInt8>) -> Int {
        let piece = rest.prefix(wanted)
        // Room for an announced length is used as the bytes arrive; growing would need the memory twice.
        if content.isEmpty { content.reserveCapacity(wanted) }
        content += piece
        rest = rest.dropFirst(piece.count)
        return piece.count
    }

    /// A line without its ending; `nil` if more bytes are needed.
    private mutating func takeLine(
        from rest: inout ArraySlice<UInt8>
    ) throws(HTTPError) -> [UInt8]? {
        while let byte = rest.popFirst() {
            line.append(byte)
            let limit = state == .trailers ? limits.trailerByteCount : limits.chunkLineByteCount
            guard line.count <= limit + 2 else {
                throw HTTPError(400, "a line of the chunked body exceeds \(limit) bytes")
            }
            guard byte == UInt8(ascii: "\n") else { continue }
            defer { line = [] }
            guard line.count >= 2, line[line.count - 2] == UInt8(ascii: "\r") else {
                throw HTTPError(400, "a line of the chunked body does not end in CRLF")
            }
            return Array(line.dropLast(2))
        }
        return nil
    }

    private mutating func end(_ line: [UInt8]) throws(HTTPError) {
        switch state {
        case .chunkLine:
            let size = try Self.size(line)
            guard size <= byteLimit - content.count else { throw tooLarge }
            state = size == 0 ? .trailers : .chunk(rest: size)
        case .chunkEnd:
            guard line.isEmpty else { throw HTTPError(400, "a chunk exceeds its declared size") }
            state = .chunkLine
        default:
            trailerByteCount += line.count + 2
            guard trailerByteCount <= limits.trailerByteCount else {
                throw HTTPError(431, "the trailers after the body are too long")
            }
            if line.isEmpty { state = .complete }
        }
    }

    /// The size of a chunk; extensions are ignored.
    private static func size(_ line: [UInt8]) throws(HTTPError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        // Eight digits cannot overflow, and are more than any limit.
        guard (1...8).contains(digits.count) else { throw HTTPError(400, "a chunk has no size") }
        var size = 0
        for byte in digits {
            guard let digit = hexadecimalDigit(byte) else {
                throw HTTPError(400, "a chunk size is not a hexadecimal number")
            }
            size = size << 4 | Int(digit)
        }
        return size
    }
}

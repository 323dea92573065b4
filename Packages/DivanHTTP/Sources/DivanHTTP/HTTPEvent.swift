/// One event of a stream as browsers read it, `text/event-stream`.
///
/// Source: the HTML standard, “Server-sent events”, §9.2.
public struct HTTPEvent: Equatable, Sendable {
    /// The media type of the stream.
    public static let contentType = "text/event-stream"
    /// A line that keeps a connection from looking dead, and says nothing.
    public static let heartbeat = Array(":\n\n".utf8)

    /// What a client sends as `Last-Event-ID` when it comes back; `nil` leaves it as it was.
    public var id: String?
    /// The event's name; `nil` is “message”.
    public var name: String?
    /// Its text, of any number of lines.
    public var data: [UInt8]

    /// Creates an event.
    public init(id: String? = nil, name: String? = nil, data: [UInt8]) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The bytes to send; line breaks in the text become lines of data, in a name they are left out.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (key, value) in [("id", id), ("event", name)] {
            guard let value else { continue }
            bytes += "\(key): ".utf8
            bytes += value.utf8.filter { !$0.breaksHTTPLine }
            bytes.append(UInt8(ascii: "\n"))
        }
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: isEnd) {
            bytes += "data: ".utf8
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}

/// One event of a `text/event-stream`, in the format of browsers.
///
/// Source: the HTML standard, “Server-sent events”, §9.2.
public struct HTTPEvent: Equatable, Sendable {
    /// The media type of the stream.
    public static let contentType = "text/event-stream"
    /// A comment that keeps an idle connection alive.
    public static let heartbeat = Array(":\n\n".utf8)

    /// The ID that a client sends as `Last-Event-ID` when it reconnects; `nil` keeps the previous ID.
    public var id: String?
    /// The event's name; `nil` means “message”.
    public var name: String?
    /// The text of the event, with any number of lines.
    public var data: [UInt8]

    /// Creates an event.
    public init(id: String? = nil, name: String? = nil, data: [UInt8]) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The bytes to send; line breaks in the text start new data lines; in a name they are removed.
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

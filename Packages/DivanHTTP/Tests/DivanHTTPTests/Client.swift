import DivanHTTP

/// A connection that receives text, and its results.
struct Client {
    var connection: HTTPServerConnection

    init(limits: HTTPLimits = HTTPLimits()) {
        connection = HTTPServerConnection(limits: limits)
    }

    mutating func say(_ text: String) {
        connection.receive(Array(text.utf8).span)
    }

    /// Answers the current request with a text.
    mutating func answer(_ text: String, status: Int = 200) -> String {
        let response = HTTPResponse(status: status, contentType: "text/plain", Array(text.utf8))
        let bytes =
            connection.begin(response) + connection.send(Array(text.utf8)) + connection.end()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The error with which a text is refused.
    mutating func refusal(of text: String) -> HTTPError? {
        say(text)
        do throws(HTTPError) {
            guard let request = try connection.nextRequest() else { return nil }
            if request.framing != .none {
                _ = try connection.readBody()
                _ = try connection.nextBody()
            }
            return nil
        } catch {
            return error
        }
    }
}

/// A body that is never asked for.
final class NoPieces: HTTPBodySource {
    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) { answer(.end) }
    func cancel() {}
}

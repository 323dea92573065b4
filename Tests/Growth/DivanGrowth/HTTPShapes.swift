import DivanHTTP

/// Requests in pieces of `step` bytes, each answered with an empty response.
private func asking(_ bytes: [UInt8], step: Int) -> () throws -> Void {
    {
        var connection = HTTPServerConnection(limits: HTTPLimits(bodyByteCount: 64 << 20))
        var start = 0
        while start < bytes.count {
            let end = min(start + step, bytes.count)
            connection.receive(bytes.span.extracting(start..<end))
            while true {
                if let request = try connection.nextRequest(), request.framing != .none {
                    _ = try connection.readBody()
                }
                _ = try connection.nextBody()
                guard !connection.begin(HTTPResponse(status: 204)).isEmpty else { break }
                _ = connection.end()
            }
            start = end
        }
    }
}

let httpShapes: [Shape] = [
    Shape("HTTPServerConnection", "small requests in one piece", from: 500) { count in
        let request = Array("GET /a HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        return asking(Array(repeatElement(request, count: count).joined()), step: 1 << 20)
    },
    Shape("HTTPServerConnection", "empty lines in one piece", from: 5_000) { count in
        asking(Array(repeatElement([13, 10], count: count).joined()), step: 1 << 20)
    },
]

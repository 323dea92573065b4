import DivanHTTP
import DivanTestKit

/// Any bytes give the same requests, bodies and at most one error, however they are split; the response to
/// each is one valid message, and nothing after an error is treated as a request.
enum HTTPRequests: FuzzTarget {
    static let name = "http-requests"

    private static let limits = HTTPLimits(bodyByteCount: 1 << 12)

    static func violation(of input: [UInt8]) -> String? {
        let whole = outcome([input[...]])
        var generator = SeededGenerator(seed: UInt64(input.count))
        let cut = outcome(input.pieces(longest: 7, using: &generator))
        return whole == cut ? nil : "cut: \(cut), in one piece: \(whole)"
    }

    private static func outcome(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var connection = HTTPServerConnection(limits: limits)
        var request: HTTPRequest?
        var seen: [String] = []
        for piece in pieces {
            connection.receive(piece.span)
            do {
                while !connection.isClosed {
                    if request == nil {
                        guard let next = try connection.nextRequest() else { break }
                        request = next
                        seen.append("\(next)")
                        _ = try connection.readBody()
                    }
                    guard let body = try connection.nextBody() else { break }
                    seen.append("\(body)")
                    let answer = connection.begin(HTTPResponse(status: 200, headers: ["X": "y"]))
                    seen.append(String(decoding: answer + connection.end(), as: UTF8.self))
                    request = nil
                }
            } catch {
                seen.append("\(error)")
                _ = connection.refusal(HTTPError(400, "no"))
            }
        }
        return seen
    }

    static func seeds() throws -> [[UInt8]] {
        [
            "GET /a%2Fb?x=1&y=a+b HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.0\r\n\r\n",
            "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n",
            "HEAD http://h/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        ].map { Array($0.utf8) }
    }
}

import DivanTestKit

extension HTTPTestClient {
    /// Requests the WebSocket of the database, with one more field, and reads no answer.
    func askToReplicate(naming host: String = "Host: h", _ field: String) {
        send(
            """
            GET /kitchen/_blipsync HTTP/1.1\r
            \(host)\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r
            \(field)\r
            \r

            """
        )
    }
}

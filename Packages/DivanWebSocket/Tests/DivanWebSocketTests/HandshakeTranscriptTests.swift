import DivanTestKit
import DivanWebSocket
import Testing

/// Recorded upgrades of a real server, read by our client and our server.
@Suite struct HandshakeTranscriptTests {
    @Test
    func `computes the published accept keys`() throws {
        let vectors = try Fixture("handshake.json").decoded(as: Vectors.self)
        for vector in vectors.cases {
            let head = "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            let text =
                head + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(vector.key)\r\n\r\n"
            let request = try #require(try serve([Array(text.utf8)[...]]))
            let answer = String(decoding: try request.accept(subprotocol: nil), as: UTF8.self)
            #expect(answer.contains("\r\nSec-WebSocket-Accept: \(vector.accept)\r\n"))
        }
    }

    @Test(arguments: transcripts)
    func `parses every recorded response`(name: String) throws {
        let transcript = try Fixture("transcripts/\(name).json").decoded(as: Transcript.self)
        for exchange in transcript.rawExchanges {
            var client = try ClientHandshake(request(), key: sampleKey)
            client.receive(Array(exchange.response.utf8).span)
            let outcome = try #require(try client.next(), "\(exchange.label)")
            #expect(summary(outcome) == exchange.summary, "\(exchange.label)")
        }
    }

    @Test
    func `reports refusals with the recorded messages`() throws {
        let transcript = try Fixture("transcripts/02-handshake-refused.json")
            .decoded(as: Transcript.self)
        let expected = [
            "wrong password": "Invalid login",
            "no credentials, guest disabled": "Login required",
            "bad session cookie, no Basic": "Session Invalid",
            "invalid database name": #"invalid database name "No Db!""#,
            "database offline": "DB is currently under maintenance",
            "POST": "Method Not Allowed",
            "old style BLIP_3 only":
                "I only speak BLIP_3+CBMobile_4,BLIP_3+CBMobile_3,BLIP_3+CBMobile_2 protocols",
        ]
        for (label, text) in expected {
            let exchange = try #require(transcript.rawExchanges.first { $0.label == label })
            var client = try ClientHandshake(request(), key: sampleKey)
            client.receive(Array(exchange.response.utf8).span)
            guard case .refused(let refusal) = try client.next() else {
                Issue.record("\(label) was not refused")
                continue
            }
            #expect(refusal.explanation == text)
        }
    }

    @Test
    func `accepts or refuses recorded requests like the recorded server`() throws {
        for name in transcripts {
            let transcript = try Fixture("transcripts/\(name).json").decoded(as: Transcript.self)
            for exchange in transcript.rawExchanges {
                let bytes = Array(exchange.request.utf8)
                guard let request = try? serve([bytes[...]]) else {
                    #expect(exchange.label.contains("database name"), "\(exchange.label)")
                    continue
                }
                let isSound =
                    ![400, 405, 426].contains(exchange.status)
                    || exchange.label == "collection form of the path is not served"
                    || exchange.label == "invalid database name"
                #expect((request.defect == nil) == isSound, "\(exchange.label)")
            }
        }
    }
}

private let transcripts = ["01-handshake-accepted", "02-handshake-refused", "03-session-cookie"]

private struct Vectors: Decodable {
    struct Case: Decodable {
        let key: String
        let accept: String

        enum CodingKeys: String, CodingKey {
            case key = "Sec-WebSocket-Key"
            case accept = "Sec-WebSocket-Accept"
        }
    }

    let cases: [Case]
}

private struct Transcript: Decodable {
    struct Exchange: Decodable {
        let label: String
        let request: String
        let response: String

        var status: Int { Int(response.dropFirst(9).prefix(3)) ?? 0 }

        /// The status and, for an upgrade, the subprotocol, taken from the recorded text.
        var summary: String {
            let marker = "Sec-Websocket-Protocol: "
            let lines = response.split(separator: "\r\n")
            let chosen = lines.first { $0.hasPrefix(marker) }?.dropFirst(marker.count) ?? ""
            return status == 101 ? "101 \(chosen)" : "\(status)"
        }
    }

    let rawExchanges: [Exchange]
}

private func summary(_ outcome: ClientHandshake.Outcome) -> String {
    switch outcome {
    case .accepted(let acceptance): "101 \(acceptance.subprotocol ?? "")"
    case .refused(let refusal): "\(refusal.status)"
    case .redirected(let status, _, _): "\(status)"
    }
}

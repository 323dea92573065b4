import Dispatch
import DivanAuth
import DivanREST
import DivanRevisions
import DivanTestKit
import Testing

/// Queries that take all the time they may, while somebody else needs an answer.
@Suite(.serialized, .timeLimit(.minutes(3))) struct HostileQueryTests {
    private static let queryCount = 16
    private static let anna = "Authorization: Basic \(Base64Text.of("anna:a"))"
    private static let bo = "Authorization: Basic \(Base64Text.of("bo:b"))"

    /// What each of the queries runs, with the value of `$p`.
    private static let queries: [(sql: String, parameter: String)] = [
        ("SELECT REGEXP_CONTAINS(t, $p) FROM _", #""(?:a(?=.*))*c""#),
        ("SELECT REGEXP_CONTAINS(t, $p) FROM _", #""(a*?)\\1c""#),
        ("SELECT REGEXP_REPLACE(t, $p, '') FROM _", #""a(?=.*)""#),
        ("SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n < b.n JOIN _ AS c ON b.n < c.n", "0"),
        ("SELECT COUNT(*) FROM _ WHERE ANY x IN v SATISFIES x = w END", "0"),
        ("SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b WHERE a > b", "0"),
    ]

    private func served(hasUsers: Bool) throws -> Served {
        let served = try Served { configuration in
            configuration.limits.queryTimeout = .seconds(4)
            guard hasUsers else { return }
            configuration.authenticator = PasswordListenerAuthenticator { name, password in
                password == String(name.prefix(1))
            }
        }
        let text = String(repeating: "a", count: 300_000)
        let items = (0..<50_000).map { "\($0)" }.joined(separator: ",")
        try served.put("big", "{\"n\":0,\"t\":\"\(text)\",\"v\":[\(items)],\"w\":-1}")
        for number in 0..<400 { try served.put("d\(number)", "{\"n\":\(number)}") }
        return served
    }

    private func ask(_ visitor: HTTPTestClient, _ number: Int, _ fields: String) {
        let query = Self.queries[number % Self.queries.count]
        let body = "{\"query\":\"\(query.sql)\",\"parameters\":{\"p\":\(query.parameter)}}"
        let parameterless = "{\"query\":\"\(query.sql)\"}"
        let sent = query.sql.contains("$p") ? body : parameterless
        visitor.send(
            "POST /notes/_query HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
                + "Content-Length: \(sent.utf8.count)\r\n\r\n\(sent)"
        )
    }

    @Test(arguments: [false, true])
    func `a document is read quickly while sixteen long queries run`(_ hasUsers: Bool) throws {
        let served = try served(hasUsers: hasUsers)
        let visitors = try (0..<Self.queryCount).map { _ in try served.visitor() }
        for (number, visitor) in visitors.enumerated() {
            ask(visitor, number, hasUsers ? "\(Self.anna)\r\n" : "")
        }
        let reader = try served.visitor()
        var times: [Duration] = []
        for _ in 0..<15 {
            let time = try ContinuousClock().measure {
                let answer =
                    try hasUsers
                    ? reader.ask("GET", "/notes/_default/d1", Self.bo)
                    : reader.ask("GET", "/notes/_default/d1")
                #expect(answer.status == 200)
            }
            times.append(time)
        }
        let median = times.sorted()[times.count / 2]
        #expect(median < .milliseconds(200), "\(times)")
    }

    @Test func `sixteen long regular expressions are rejected at once`() throws {
        let served = try served(hasUsers: false)
        let pattern = String(repeating: "a{0,9}", count: 50_000)
        let body =
            "{\"query\":\"SELECT REGEXP_CONTAINS(t, $p) FROM _\",\"parameters\":{\"p\":\"\(pattern)\"}}"
        let visitors = try (0..<Self.queryCount).map { _ in try served.visitor() }
        for visitor in visitors {
            visitor.send(
                "POST /notes/_query HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        for visitor in visitors {
            let answer = try visitor.readAnswer()
            #expect(answer.status == 400)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("longer than 8 KiB"))
        }
    }
}

import DivanAuth
import DivanREST
import DivanRevisions
import DivanTestKit
import Testing

/// Queries that run until they are stopped, while another client needs an answer.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileQueryTests {
    private static let queryCount = 16
    private static let timeout = Duration.seconds(2)
    private static let anna = "Authorization: Basic \(Base64Text.of("anna:a"))"
    private static let bo = "Authorization: Basic \(Base64Text.of("bo:b"))"

    /// What a query runs, with the value of `$p`.
    private typealias Query = (sql: String, parameter: String?)

    /// Much work within one call of a function, which may also be stopped by the function's own limit.
    private static let calls: [Query] = [
        ("SELECT REGEXP_CONTAINS(t, $p) FROM _", #"(?:a(?=.*))*c"#),
        ("SELECT REGEXP_CONTAINS(t, $p) FROM _", #"(a*?)\\1c"#),
        ("SELECT REGEXP_CONTAINS(t, $p) FROM _", String(repeating: "a{0,9}", count: 1_000) + "c"),
        ("SELECT REGEXP_REPLACE(t, $p, '') FROM _", #"a(?=.*)"#),
        ("SELECT t LIKE $p FROM _", "%\(String(repeating: "_", count: 20_000))b%"),
    ]
    /// Many rows.
    private static let scans: [Query] = [
        ("SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n < b.n JOIN _ AS c ON b.n < c.n", nil),
        ("SELECT COUNT(*) FROM _ WHERE ANY x IN v SATISFIES x = w END", nil),
        ("SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b WHERE a > b", nil),
        ("SELECT a FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b ORDER BY a || b LIMIT 1", nil),
    ]

    private func served(
        hasUsers: Bool,
        _ change: (inout RESTLimits) -> Void = { _ in }
    ) throws -> Served {
        let served = try Served { configuration in
            configuration.limits.queryTimeout = Self.timeout
            change(&configuration.limits)
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

    private func ask(_ query: Query, _ visitor: HTTPTestClient, _ fields: String) {
        let parameters = query.parameter.map { ",\"parameters\":{\"p\":\"\($0)\"}" } ?? ""
        let sent = "{\"query\":\"\(query.sql)\"\(parameters)}"
        visitor.send(
            "POST /notes/_query HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
                + "Content-Length: \(sent.utf8.count)\r\n\r\n\(sent)"
        )
    }

    /// How long each request for a document takes while sixteen queries of another client run, which are then all
    /// stopped.
    private func readingTimes(
        _ served: Served,
        hasUsers: Bool,
        during queries: [Query]
    ) throws -> [Duration] {
        let reader = try served.visitor()
        let fields = hasUsers ? [Self.anna, Self.bo] : ["X-Client: a", "X-Client: b"]
        let visitors = try (0..<Self.queryCount).map { _ in try served.visitor() }
        for (number, visitor) in visitors.enumerated() {
            ask(queries[number % queries.count], visitor, "\(fields[0])\r\n")
        }
        var times: [Duration] = []
        let clock = ContinuousClock()
        // Not all queries run at once, so that the last of them begins after this.
        let end = clock.now + Self.timeout * 3 / 4
        while clock.now < end {
            let time = try clock.measure {
                let answer = try reader.ask("GET", "/notes/_default/d1", fields[1])
                #expect(answer.status == 200)
            }
            times.append(time)
        }
        for visitor in visitors {
            let answer = try visitor.readAnswer()
            let isStopped = answer.status == 503 || answer.text.contains("too long")
            #expect(isStopped, "\(answer.status) \(answer.text)")
        }
        return times.sorted()
    }

    @Test(arguments: [false, true])
    func `a document is read within 200 ms while sixteen long queries run`(
        _ hasUsers: Bool
    ) throws {
        let served = try served(hasUsers: hasUsers)
        let queries = Self.calls + Self.scans
        let times = try readingTimes(served, hasUsers: hasUsers, during: queries)
        // On a busy machine, some wait for a processor, but none waits for a query.
        #expect(times[times.count / 2] < .milliseconds(200), "\(times.suffix(20))")
        #expect(try #require(times.last) < Self.timeout / 2, "\(times.suffix(20))")
    }

    /// What the limits prevent, and the test above would notice.
    @Test(arguments: [false, true])
    func `reading a document is delayed if queries can use all threads`(_ hasUsers: Bool) throws {
        let served = try served(hasUsers: hasUsers) { limits in
            limits.workerCount = 4
            limits.partyWorkerCount = 4
            limits.queryWorkerCount = 4
            limits.partyQueryWorkerCount = 4
        }
        let times = try readingTimes(served, hasUsers: hasUsers, during: Self.scans)
        #expect(try #require(times.last) > Self.timeout / 2, "\(times.suffix(20))")
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

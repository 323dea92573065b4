import DivanREST
import DivanTestKit
import Testing

/// The times that a server reports about its requests.
@Suite struct LatencyTests {
    private func kinds(_ served: Served) -> [String] {
        served.server.latencies.map { "\($0.method) \($0.route) \($0.statusClass)" }
    }

    @Test func `requests are counted by the path of the endpoint, the method and the status`()
        throws
    {
        let served = try Served()
        try served.put("soup", "{}")
        let visitor = try served.visitor()
        for id in ["soup", "soup/", "tea"] {
            _ = try visitor.ask("GET", "/notes/_default/\(id)")
        }
        _ = try visitor.ask("GET", "/notes/_query?query=SELECT+META().id+FROM+_")
        #expect(
            kinds(served) == [
                "GET /{database}/_query 2xx", "GET /{database}/{collection}/{id} 2xx",
                "GET /{database}/{collection}/{id} 4xx",
            ]
        )
        #expect(served.server.latencies.map { $0.counts.reduce(0, +) } == [1, 2, 1])
        for latency in served.server.latencies {
            #expect(latency.seconds > 0 && latency.counts.count == RESTLatency.bounds.count + 1)
        }
    }

    @Test func `a client cannot add kinds with its own paths and methods`() throws {
        let served = try Served()
        for number in 0..<10 {
            let visitor = try served.visitor()
            _ = try visitor.ask("BREW\(number)", "/notes")
            _ = try visitor.ask("GET", "/a/b/c/d/e/f/\(number)")
        }
        #expect(kinds(served) == ["other other 4xx", "other /{database} 4xx"].sorted())
    }
}

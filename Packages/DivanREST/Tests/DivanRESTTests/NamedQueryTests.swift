import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// Queries that the operator defines, and queries in the URL.
@Suite(.timeLimit(.minutes(5))) struct NamedQueryTests {
    private func served(_ rights: RESTRights = .full) throws -> Served {
        let cheap = try RESTNamedQuery(
            "SELECT META().id FROM _ WHERE price <= $limit AND city = $city ORDER BY META().id",
            parameters: ["limit": .number, "city": .string],
            description: "cheap things"
        )
        let all = try RESTNamedQuery("SELECT META().id FROM _ ORDER BY META().id")
        let served = try Served { configuration in
            configuration.namedQueries = ["notes": ["cheap": cheap, "all": all]]
            configuration.rights = { _, _ in rights }
        }
        try served.put("a", #"{"price":1,"city":"5"}"#)
        try served.put("b", #"{"price":9,"city":"5"}"#)
        return served
    }

    private func ids(_ answer: HTTPTestClient.Answer) throws -> [String?] {
        try #require(answer.json()["rows"]?.array, "\(answer.text)").map { $0["id"]?.string }
    }

    @Test func `a named query is run with parameters of the URL or the body`() throws {
        let served = try served()
        let visitor = try served.visitor()
        let path = "/notes/_query/cheap"
        #expect(try ids(visitor.ask("GET", "\(path)?limit=2.5&city=5")) == ["a"])
        #expect(
            try ids(visitor.ask("POST", path, body: #"{"limit":10,"city":"5"}"#)) == ["a", "b"]
        )
        #expect(try ids(visitor.ask("GET", "/notes/_query/all")) == ["a", "b"])
        #expect(try ids(visitor.ask("POST", "/notes/_query/all")) == ["a", "b"])
    }

    @Test(arguments: [
        ("?city=5", "limit"), ("?limit=1", "city"), ("?limit=x&city=5", "must be a number"),
        ("?limit=1&city=5&more=1", "more"), ("?limit=true&city=5", "must be a number"),
    ])
    func `missing, unknown and mistyped parameters are rejected`(
        _ query: String,
        _ text: String
    ) throws {
        let served = try served()
        let answer = try served.visitor().ask("GET", "/notes/_query/cheap\(query)")
        #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
    }

    @Test func `an invalid named query cannot be defined`() throws {
        #expect(throws: (any Error).self) { try RESTNamedQuery("SELEC 1") }
    }

    @Test func `GET runs a query of the URL`() throws {
        let served = try served()
        let visitor = try served.visitor()
        let query = HTTPTarget.segment("SELECT META().id FROM _ WHERE price >= $least")
        let parameters = HTTPTarget.segment(#"{"least":5}"#)
        let path = "/notes/_query?query=\(query)"
        #expect(try ids(visitor.ask("GET", "\(path)&parameters=\(parameters)")) == ["b"])
        #expect(try visitor.ask("GET", "\(path)&explain=true").json()["steps"] != nil)
        #expect(try visitor.ask("GET", "/notes/_query").status == 400)
        #expect(try visitor.ask("GET", "\(path)&parameters=[1]").status == 400)
        let malformed = try visitor.ask("GET", "\(path)&parameters=x")
        #expect(malformed.status == 400)
        #expect(try malformed.json()["reason"]?.string?.hasPrefix("?parameters= is not") == true)
    }

    @Test(arguments: [
        (RESTQueryRights.all, 200, 200, 200), (.named(nil), 403, 200, 200),
        (.named(["all"]), 403, 404, 200), (.none, 403, 404, 404),
    ])
    func `users can be limited to named queries`(
        _ queries: RESTQueryRights,
        _ free: Int,
        _ cheap: Int,
        _ all: Int
    ) throws {
        var rights = RESTRights()
        rights.queries = queries
        let served = try served(rights)
        let visitor = try served.visitor()
        let text = #"{"query":"SELECT META().id FROM _"}"#
        #expect(try visitor.ask("POST", "/notes/_query", body: text).status == free)
        #expect(
            try visitor.ask("GET", "/notes/_query?query=SELECT+META().id+FROM+_").status == free
        )
        #expect(try visitor.ask("GET", "/notes/_query/cheap?limit=1&city=5").status == cheap)
        #expect(try visitor.ask("GET", "/notes/_query/all").status == all)
        #expect(try visitor.ask("GET", "/notes/_query/none").status == 404)
        let names = try visitor.ask("GET", "/notes").json()["queries"]?.array?.map {
            $0["name"]?.string
        }
        #expect(
            names == [all == 200 ? "all" : nil, cheap == 200 ? "cheap" : nil].filter { $0 != nil }
        )
    }

    @Test func `a named query reads only what the client may read`() throws {
        let condition = try RESTCondition("price > 5")
        let limited = try served(RESTRights(condition: condition))
        #expect(try ids(limited.visitor().ask("GET", "/notes/_query/all")) == ["b"])
        let other = try served(RESTRights(collections: []))
        #expect(try other.visitor().ask("GET", "/notes/_query/all").status == 400)
    }
}

import DivanAuth
import DivanHTTP
import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// The OpenAPI document, and what the server does.
@Suite(.timeLimit(.minutes(5))) struct EndpointTests {
    private static let methods = [
        "GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "BREW",
    ]

    private func paths(_ visitor: HTTPTestClient) throws -> [(template: String, methods: [String])]
    {
        let document = try visitor.ask("GET", "/_openapi.json").json()
        #expect(document["openapi"]?.string == "3.1.0")
        let paths = try #require(document["paths"]?.object)
        return paths.map { path in
            let methods = path.value.object?.keys.filter { $0 != "parameters" } ?? []
            return (path.key, methods.map { $0.uppercased() })
        }
    }

    private func path(_ template: String) -> String {
        let names = [
            ("database", "notes"), ("collection", "_default"), ("id", "a"), ("key", "k"),
            ("name", "all"),
        ]
        return names.reduce(template) { path, name in
            path.split(separator: "{\(name.0)}", omittingEmptySubsequences: false)
                .joined(separator: name.1)
        }
    }

    @Test func `the server supports exactly the paths and methods of the document`() throws {
        let served = try Served()
        let visitor = try served.visitor()
        let paths = try paths(visitor)
        #expect(paths.count == 11)
        for (template, documented) in paths {
            let path = path(template)
            #expect(!path.contains("{"), "\(template) has an unknown name")
            for method in Self.methods {
                let answer = try visitor.ask(method, path, body: method == "HEAD" ? nil : "")
                let isSupported = documented.contains(method)
                #expect(
                    (answer.status != 405) == isSupported,
                    "\(method) \(path): \(answer.status)"
                )
                guard !isSupported else { continue }
                let allowed = answer.field("Allow")?.split(separator: ", ").map(String.init) ?? []
                #expect(allowed.sorted() == documented.sorted(), "\(path)")
            }
        }
    }

    @Test func `every reference in the document can be resolved, and names are unique`() throws {
        let served = try Served()
        let document = try served.visitor().ask("GET", "/_openapi.json").json()
        var pending = [document]
        var names: [String] = []
        var referenceCount = 0
        while let value = pending.popLast() {
            if let name = value["operationId"]?.string { names.append(name) }
            if let reference = value["$ref"]?.string {
                referenceCount += 1
                let pointer = try #require(JSONPointer(String(reference.dropFirst())))
                #expect(document[pointer] != nil, "\(reference)")
            }
            pending += value.array ?? value.object?.map(\.value) ?? []
        }
        #expect(referenceCount > 20)
        #expect(names.count == 25 && Set(names.map { ExactText($0) }).count == 25)
    }

    @Test(arguments: [
        "/notes/_bulk_docs", "/notes/_default/_bulk_get", "/notes/_design/x", "/notes/_local/x",
        "/notes/_default/_x", "/notes/_default/a/b", "/notes/_default/a/_blobs", "/notes/_changes",
        "/notes/_default/_x/_blobs/k", "/notes/_query/a/b",
    ])
    func `an unknown path is reported as such`(path: String) throws {
        let served = try Served()
        for method in ["GET", "POST", "PUT"] {
            let answer = try served.visitor().ask(method, path, body: "{}")
            #expect(answer.status == 404)
            #expect(try answer.json()["error"]?.string == "not_found")
            #expect(try answer.json()["reason"]?.string?.hasPrefix("no such endpoint; ") == true)
        }
    }

    @Test func `an error is a problem with the members of earlier versions`() throws {
        let served = try Served()
        let rev = try served.put("a", "{}")
        let answer = try served.visitor().ask("PUT", "/notes/_default/a", body: "{}")
        #expect(answer.field("Content-Type") == "application/problem+json")
        let problem = try answer.json()
        #expect(problem["type"]?.string == "about:blank" && problem["title"]?.string == "Conflict")
        #expect(problem["status"]?.int == 409 && problem["error"]?.string == "conflict")
        #expect(problem["detail"] == problem["reason"] && problem["rev"]?.string == rev)
    }

    @Test func `the document requires the same credentials as other requests`() throws {
        let served = try Served {
            $0.authenticator = PasswordListenerAuthenticator { _, password in password == "b" }
        }
        #expect(try served.visitor().ask("GET", "/_openapi.json").status == 401)
        let bo = "Authorization: Basic \(Base64Text.of("bo:b"))"
        #expect(try served.visitor().ask("GET", "/_openapi.json", bo).status == 200)
    }
}

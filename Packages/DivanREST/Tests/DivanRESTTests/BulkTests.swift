import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// Several documents in one request.
@Suite(.timeLimit(.minutes(5))) struct BulkTests {
    private static let path = "/notes/_default/_bulk_docs"

    @Test func `documents are created, replaced and deleted in one request`() throws {
        let served = try Served()
        let old = try served.put("old", #"{"n":1}"#)
        let gone = try served.put("gone", "{}")
        let visitor = try served.visitor()
        let body =
            #"{"docs":[{"_id":"new","n":2},{"_id":"old","_rev":"\#(old)","n":3},"#
            + #"{"_id":"gone","_rev":"\#(gone)","_deleted":true},{"n":4}]}"#
        let answer = try visitor.ask("POST", Self.path, body: body)
        #expect(answer.status == 201, "\(answer.text)")
        let results = try #require(try answer.json().array)
        #expect(results.count == 4 && results.allSatisfy { $0["ok"]?.bool == true })
        #expect(results.prefix(3).map { $0["id"]?.string } == ["new", "old", "gone"])
        let made = try #require(results[3]["id"]?.string)
        #expect(try visitor.ask("GET", "/notes/_default/new").text == #"{"n":2}"#)
        #expect(try visitor.ask("GET", "/notes/_default/old").text == #"{"n":3}"#)
        #expect(try visitor.ask("GET", "/notes/_default/gone").status == 404)
        let stored = try visitor.ask("GET", "/notes/_default/\(made)")
        #expect(stored.text == #"{"n":4}"#)
        #expect(stored.field("ETag") == #""\#(results[3]["rev"]?.string ?? "")""#)
    }

    @Test func `a document that cannot be saved does not prevent the others`() throws {
        let served = try Served()
        let old = try served.put("old", "{}")
        let visitor = try served.visitor()
        let items = [
            #"{"_id":"old"}"#, #"{"_id":"old","_rev":"1-a"}"#, "1", #"{"_id":"_x"}"#, #"{"_id":1}"#,
            #"{"_id":"a","_deleted":1}"#, #"{"_id":"a","":1}"#,
            #"{"_id":"none","_deleted":true}"#,
            #"{"_id":"fine"}"#, #"{"_id":"fine"}"#,
        ]
        let body = #"{"docs":[\#(items.joined(separator: ","))]}"#
        let results = try #require(try visitor.ask("POST", Self.path, body: body).json().array)
        let statuses = results.map { $0["status"]?.int }
        #expect(statuses == [409, 409, 400, 400, 400, 400, 400, 404, nil, 409])
        #expect(results[0]["error"]?.string == "conflict" && results[0]["rev"]?.string == old)
        #expect(results[0]["id"]?.string == "old")
        #expect(try visitor.ask("GET", "/notes/_default/fine").status == 200)
        #expect(try visitor.ask("GET", "/notes/_default/a").status == 404)
    }

    @Test(arguments: [
        ("[]", 400), ("{}", 400), (#"{"docs":{}}"#, 400), (#"{"docs":[],"new_edits":false}"#, 400),
        (#"{"docs":[{},{},{},{}]}"#, 413), (#"{"docs":[]}"#, 201), ("{", 400),
    ])
    func `an invalid list of documents is rejected`(body: String, status: Int) throws {
        let served = try Served { $0.limits.bulkDocumentCount = 3 }
        let answer = try served.visitor().ask("POST", Self.path, body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try served.visitor().ask("GET", "/notes/_default").json()["count"]?.int == 0)
    }

    @Test func `documents of others are neither replaced nor revealed`() throws {
        let condition = try RESTCondition("owner = 'anna'")
        let served = try Served { $0.rights = { _, _ in RESTRights(condition: condition) } }
        let rev = try served.put("other", #"{"owner":"bo"}"#)
        let items = [
            #"{"_id":"other","_rev":"\#(rev)","owner":"anna"}"#,
            #"{"_id":"other","_rev":"\#(rev)","_deleted":true}"#, #"{"_id":"new","owner":"bo"}"#,
            #"{"_id":"new","owner":"anna"}"#,
        ]
        let body = #"{"docs":[\#(items.joined(separator: ","))]}"#
        let answer = try served.visitor().ask("POST", Self.path, body: body)
        let statuses = try #require(try answer.json().array).map { $0["status"]?.int }
        #expect(statuses == [409, 404, 403, nil])
        #expect(try #require(try answer.json().array)[0]["rev"] == nil)
    }
}

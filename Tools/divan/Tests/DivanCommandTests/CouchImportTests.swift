import DivanTestKit
import Foundation
import Testing

/// What CouchDB and PouchDB give out comes in.
@Suite struct CouchImportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func importing(_ text: String, _ options: String...) throws -> Program.Outcome {
        try shell.divan(["import", "db", "-", "--from", "couchdb"] + options, input: text)
    }

    @Test func `all documents with their attachments`() throws {
        let dump = """
            {"total_rows":3,"offset":0,"rows":[
            {"id":"_design/app","key":"_design/app","value":{"rev":"1-a"},"doc":{"_id":"_design/app"}},
            {"id":"soup","key":"soup","value":{"rev":"2-b"},"doc":{"_id":"soup","_rev":"2-b",
              "name":"a \\"rows\\":[ in a text","tags":["x",["y"]],
              "_attachments":{"a.txt":{"content_type":"text/plain","revpos":2,"data":"aGVsbG8="}}}},
            {"id":"tea","key":"tea","value":{"rev":"1-c"},"doc":{"_id":"tea","_rev":"1-c","n":1}}
            ]}
            """
        try importing(dump).expectSuccess()
        #expect(try shell.run("ls", "db").output == "soup\ntea\n")
        let soup = try shell.run("get", "db", "soup", "--json").json()
        #expect(soup["name"] as? String == "a \"rows\":[ in a text")
        #expect(soup["_rev"] == nil)
        let blobs = try #require(soup["attachments"] as? [String: [String: Any]])
        #expect(blobs["a.txt"]?["content_type"] as? String == "text/plain")
        #expect(blobs["a.txt"]?["length"] as? Int == 5)
    }

    @Test func `changes, one a line, with deletions`() throws {
        try importing("{\"_id\":\"gone\"}\n{\"_id\":\"kept\",\"n\":1}\n").expectSuccess()
        let feed = """
            {"seq":"1-x","id":"new","changes":[{"rev":"1-a"}],"doc":{"_id":"new","_rev":"1-a","n":2}}
            {"seq":"2-x","id":"gone","changes":[{"rev":"2-b"}],"deleted":true,"doc":{"_id":"gone"}}
            """
        try importing(feed).expectSuccess()
        #expect(try shell.run("ls", "db").output == "kept\nnew\n")
        try importing("{\"results\":[" + feed.replacingOccurrences(of: "\n", with: ",") + "]}")
            .expectSuccess()
        #expect(try shell.run("ls", "db").output == "kept\nnew\n")
    }

    @Test func `an array, and an object of docs`() throws {
        try importing("[{\"_id\":\"a\"},{\"_id\":\"b\"}]").expectSuccess()
        try importing("{\"docs\":[{\"_id\":\"c\",\"_rev\":\"1-a\"}],\"bookmark\":\"nil\"}")
            .expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\nc\n")
    }

    @Test func `a dump that lacks something says how to make it`() throws {
        try importing("{\"rows\":[{\"id\":\"a\",\"key\":\"a\",\"value\":{\"rev\":\"1-a\"}}]}")
            .expectFailure(4, "include_docs=true")
        let stub = "{\"_id\":\"a\",\"_attachments\":{\"p\":{\"stub\":true}}}"
        try importing(stub).expectFailure(4, "attachments=true")
        try importing("{\"rows\":[{\"id\":\"a\"").expectFailure(4, "not closed")
        #expect(try shell.run("ls", "db").output.isEmpty)
    }
}

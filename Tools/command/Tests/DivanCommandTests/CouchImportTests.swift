import DivanTestKit
import Foundation
import Testing

/// The output of CouchDB and PouchDB can be imported.
@Suite struct CouchImportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func importing(_ text: String, _ options: String...) throws -> Program.Outcome {
        try shell.divan(["import", "db", "-", "--from", "couchdb"] + options, input: text)
    }

    @Test func `a CouchDB dump imports all documents with their attachments`() throws {
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

    @Test func `a CouchDB changes feed imports documents and deletions`() throws {
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

    @Test func `an array or an object with docs is imported`() throws {
        try importing("[{\"_id\":\"a\"},{\"_id\":\"b\"}]").expectSuccess()
        try importing("{\"docs\":[{\"_id\":\"c\",\"_rev\":\"1-a\"}],\"bookmark\":\"nil\"}")
            .expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\nc\n")
    }

    /// The format in the README of @cloudant/couchbackup: an array per line, since version 2.10 after a header.
    @Test(arguments: [
        "", #"{"name":"@cloudant/couchbackup","version":"2.11.6","mode":"full"}"# + "\n",
    ])
    func `a file of couchbackup is imported`(_ header: String) throws {
        let backup =
            header + #"[{"_id":"a","_rev":"1-a","n":1},{"_id":"_design/app","_rev":"1-b"}]"#
            + "\n[]\n" + #"[{"_id":"b","_rev":"1-c","_revisions":{"start":1,"ids":["c"]}}]"# + "\n"
        try importing(backup).expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\n")
        try importing(backup + "x").expectFailure(4, ":\(header.isEmpty ? 4 : 5)")
    }

    /// The response of `POST /db/_bulk_get`, in CouchDB's HTTP reference.
    @Test func `a response of _bulk_get is imported, and its errors are reported`() throws {
        let long = String(repeating: "x", count: 100_000)
        let response = """
            {"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"2-b","n":1}}]},
            {"id":"long","docs":[{"ok":{"_id":"long","_rev":"1-a","text":"\(long)"}}]},
            {"id":"gone","docs":[{"ok":{"_id":"gone","_rev":"2-c","_deleted":true}}]},
            {"id":"no","docs":[{"error":{"id":"no","rev":"1-x","error":"not_found","reason":"missing"}}]}
            ]}
            """
        try importing(response).expectFailure(4, "no document 'no': not_found")
        let outcome = try importing(response, "--keep-going")
        #expect(outcome.status == 8 && outcome.errors.contains("no document 'no': not_found"))
        #expect(try shell.run("ls", "db").output == "a\nlong\n")
        let leaves =
            #"{"results":[{"id":"x","docs":[{"ok":{"_id":"x","_rev":"2-b","n":1}},"#
            + #"{"ok":{"_id":"x","_rev":"2-c","_deleted":true}}]}]}"#
        try importing(leaves).expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nlong\nx\n")
    }

    @Test func `indented objects and several arrays are imported`() throws {
        func read(_ text: String) throws -> Program.Outcome {
            try shell.divan(["import", "db", "-"], input: text)
        }
        try read(
            "{\n  \"_id\": \"a\",\n  \"s\": \"}{\\\"\"\n}\n\n{ \"_id\": \"b\",\n\"o\":{}}{\"_id\":\"c\"}\n"
        )
        .expectSuccess()
        try read("[{\"_id\":\"d\"}]\n[]\n[{\"_id\":\"e\"}]").expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\nc\nd\ne\n")
        try read("{\n \"_id\":\"f\"\n}\n{\n\"_id\":\"g\"").expectFailure(4, ":4", "not closed")
        try read("{\n \"_id\":\"f\"\n}\n7\n").expectFailure(4, ":4", "begins with {")
        try read("{").expectFailure(4, ":1", "not closed")
        #expect(try shell.run("ls", "db").output.contains("f"))
    }

    @Test func `an incomplete CouchDB dump is rejected with the right request`() throws {
        try importing("{\"rows\":[{\"id\":\"a\",\"key\":\"a\",\"value\":{\"rev\":\"1-a\"}}]}")
            .expectFailure(4, "include_docs=true")
        let stub = "{\"_id\":\"a\",\"_attachments\":{\"p\":{\"stub\":true}}}"
        try importing(stub).expectFailure(4, "attachments=true")
        try importing("{\"rows\":[{\"id\":\"a\"").expectFailure(4, "not closed")
        #expect(try shell.run("ls", "db").output.isEmpty)
    }

    @Test func `with --keep-going only CouchDB rows with errors are skipped`() throws {
        let answer = """
            {"total_rows":4,"rows":[{"key":"gone","error":"not_found"},
            {"id":"a","key":"a","value":{"rev":"1-a"},"doc":{"_id":"a","_rev":"1-a"}},
            {"id":"bare","key":"bare","value":{"rev":"1-b"}},
            {"id":"p","doc":{"_id":"p","_attachments":{"f":{"stub":true}}}},
            {"id":"b","key":"b","value":{"rev":"1-b"},"doc":{"_id":"b","_rev":"1-b"}}]}
            """
        try importing(answer).expectFailure(4, "\"gone\": not_found", "use '--keep-going'")
        let outcome = try importing(answer, "--keep-going")
        #expect(outcome.status == 8, "\(outcome)")
        for words in [
            "\"gone\": not_found", "only the ID of document 'bare'",
            "attachment 'f' of document 'p'",
        ] {
            #expect(outcome.errors.contains(words), "\(outcome)")
        }
        #expect(try shell.run("ls", "db").output == "a\nb\n")
        // An answer without documents is no row.
        try importing(#"{"error":"unauthorized","reason":"no"}"#, "--keep-going")
            .expectFailure(4, "unauthorized")
    }

    // MARK: The stream of pouchdb-dump

    private let header = """
        {"version":"3.0.0","db_type":"leveldb","start_time":"2026-11-20T10:00:00.000Z",\
        "db_info":{"db_name":"app","doc_count":4,"update_seq":6,"adapter":"leveldb"}}
        """

    @Test func `a PouchDB dump imports deletions and attachments`() throws {
        try shell.run("put", "db", "gone", "{}")
        let stream = """
            {"docs":[{"name":"]},{ in a text","_id":"soup","_rev":"2-b1",\
            "_revisions":{"start":2,"ids":["b1","a1"]},\
            "_attachments":{"a.txt":{"content_type":"text/plain","revpos":1,\
            "digest":"md5-XUFAKrxLKna5cZ2REBfFkg==","data":"aGVsbG8="}}},\
            {"_id":"_design/app","_rev":"1-c1","_revisions":{"start":1,"ids":["c1"]},"views":{}}]}
            {"seq":2}
            {"docs":[{"_id":"gone","_rev":"2-d2","_deleted":true,\
            "_revisions":{"start":2,"ids":["d2","d1"]}},{"_id":"tea","_rev":"1-e1",\
            "_revisions":{"start":1,"ids":["e1"]},"n":1}]}
            {"seq":6}

            """
        // As produced, in two files with --split, and without the line about the database.
        for text in [
            header + "\n" + stream, stream, header + "\n" + stream + header + "\n" + stream,
        ] {
            try importing(text).expectSuccess()
            #expect(try shell.run("ls", "db").output == "soup\ntea\n")
        }
        let soup = try shell.run("get", "db", "soup", "--json").json()
        #expect(soup["name"] as? String == "]},{ in a text")
        #expect(soup["_revisions"] == nil)
        let blobs = try #require(soup["attachments"] as? [String: [String: Any]])
        #expect(blobs["a.txt"]?["length"] as? Int == 5)
        #expect(blobs["a.txt"]?["content_type"] as? String == "text/plain")
        let revisions = try shell.run("ls", "db", "--json").lines
        #expect(revisions.allSatisfy { $0.contains("\"revision\":\"1-") }, "\(revisions)")
    }

    @Test(arguments: [
        // The longer history, then the higher digest; but first of all, what is not deleted.
        (#""_rev":"3-aa","_revisions":{"start":3,"ids":["aa","b1","a1"]}"#, true),
        (#""_rev":"2-ff","_revisions":{"start":2,"ids":["ff","a1"]}"#, true),
        (#""_rev":"2-aa","_revisions":{"start":2,"ids":["aa","a1"]}"#, false),
        (#""_rev":"1-ff","_revisions":{"start":1,"ids":["ff"]}"#, false),
        (#""_deleted":true,"_rev":"3-aa","_revisions":{"start":3,"ids":["aa","cc","a1"]}"#, false),
        // A revision's descendant replaces it, even if it is a deletion.
        (#""_deleted":true,"_rev":"3-aa","_revisions":{"start":3,"ids":["aa","b1","a1"]}"#, true),
    ])
    func `of several leaves the CouchDB winner is imported`(other: String, wins: Bool) throws {
        let leaf = #"{"_id":"a","_rev":"2-b1","_revisions":{"start":2,"ids":["b1","a1"]},"n":1}"#
        let second = "{\"_id\":\"a\",\"n\":2,\(other)}"
        for docs in ["\(leaf),\(second)", "\(second),\(leaf)"] {
            try shell.run("put", "db", "a", "{\"n\":0}")
            try importing("\(header)\n{\"docs\":[\(docs)]}\n{\"seq\":1}\n").expectSuccess()
            let found = try shell.divan("get", "db", "a", "--raw")
            if wins, other.contains("_deleted") {
                #expect(found.status == 3, "\(found)")
            } else {
                #expect(found.output == "{\"n\":\(wins ? 2 : 1)}\n", "\(docs)")
            }
        }
    }

    @Test func `a file of neither CouchDB nor PouchDB is rejected with a hint`() throws {
        let document = #"{"docs":[{"_id":"a","n":1}]}"#
        try importing("{\"name\":\"x\"}\n").expectFailure(4, ":1: ", "no _id", "--from couchdb")
        try importing("{\"docs\":[{\"name\":\"x\"}]}").expectFailure(4, "no _id")
        try importing(#"{"error":"unauthorized","reason":"You are not authorized."}"#)
            .expectFailure(
                4,
                "CouchDB returned an error: unauthorized: You are not authorized.",
                "correct the request"
            )
        #expect(try shell.run("ls", "db").output.isEmpty)
        try importing("\(header)\n\(document)\n{\"sequence\":1}\n").expectFailure(
            4,
            ":3: ",
            "check that the file is complete"
        )
        try importing("\(document)\n[{\"_id\":\"b\"}]\n")
            .expectFailure(4, ":2: ", "import each separately")
        try importing("\(header)\n\(document)\n{\"docs\":[{\"_id\":\"b\"}")
            .expectFailure(4, "not closed")
        try importing("\(header)\n\(document)\n{\"se").expectFailure(4, "not closed")
        // Complete, though its container is not.
        #expect(try shell.run("ls", "db").output == "a\nb\n")
    }

    @Test func `consecutive response pages and a feed's last line are accepted`() throws {
        let page = #"{"rows":[{"id":"a","doc":{"_id":"a"}}],"total_rows":2}"#
        let next = #"{"offset":1,"rows":[{"id":"b","doc":{"_id":"b"}}]}"#
        try importing("\(page)\n\(next)\n").expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\n")
        try importing(
            """
            {"seq":"1-x","id":"c","changes":[{"rev":"1-a"}],"doc":{"_id":"c","_rev":"1-a"}}
            {"last_seq":"1-x","pending":0}

            """
        ).expectSuccess()
        #expect(try shell.run("ls", "db").output == "a\nb\nc\n")
    }

    // MARK: Revisions that keep their IDs

    private func stream(_ documents: String...) -> String {
        "\(header)\n{\"docs\":[\(documents.joined(separator: ","))]}\n{\"seq\":1}\n"
    }

    @Test func `--keep-revisions keeps revision IDs, and a later dump continues them`() throws {
        let first = #"{"_id":"a","_rev":"2-b1","_revisions":{"start":2,"ids":["b1","a1"]},"n":2}"#
        let gone =
            #"{"_id":"x","_rev":"2-d2","_revisions":{"start":2,"ids":["d2","d1"]},"_deleted":true}"#
        try importing(stream(first, gone), "--keep-revisions").expectSuccess()
        let row = try shell.run("ls", "db", "--json").json()
        #expect(row["revision"] as? String == "2-b1")
        #expect(try shell.run("revs", "db", "a").output.contains("1-a1"))
        #expect(try shell.run("revs", "db", "x").output.contains("2-d2"))
        let again = try importing(stream(first, gone), "--keep-revisions", "--json").json()
        #expect(again["documents"] as? Int == 0 && again["unchanged"] as? Int == 2)
        let second =
            #"{"_id":"a","_rev":"3-c1","_revisions":{"start":3,"ids":["c1","b1","a1"]},"n":3}"#
        try importing(stream(second), "--keep-revisions").expectSuccess()
        #expect(try shell.run("ls", "db", "--json").json()["revision"] as? String == "3-c1")
        #expect(try shell.run("get", "db", "a", "--raw").output == "{\"n\":3}\n")
        try shell.run("check", "db")
    }

    @Test func `a document that was also changed locally is skipped and reported`() throws {
        let first = #"{"_id":"a","_rev":"1-a1","_revisions":{"start":1,"ids":["a1"]},"n":1}"#
        try importing(stream(first), "--keep-revisions").expectSuccess()
        try shell.run("put", "db", "a", #"{"n":"ours"}"#)
        let second = #"{"_id":"a","_rev":"2-b1","_revisions":{"start":2,"ids":["b1","a1"]},"n":2}"#
        let other = #"{"_id":"b","_rev":"1-e1","_revisions":{"start":1,"ids":["e1"]}}"#
        let outcome = try importing(stream(second, other), "--keep-revisions")
        #expect(outcome.status == 8, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "a: skipped, because it was changed both in this database and in the source\n"
            ),
            "\(outcome)"
        )
        #expect(try shell.run("get", "db", "a", "--raw").output == "{\"n\":\"ours\"}\n")
        #expect(try shell.run("ls", "db").output == "a\nb\n")
    }

    @Test func `--keep-revisions requires a revision history and revision trees`() throws {
        let bare = #"{"docs":[{"_id":"a","_rev":"1-a1"}]}"#
        try importing(bare, "--keep-revisions")
            .expectFailure(4, ":1: the document has no revision history", "pouchdb-dump")
        let odd = #"{"_id":"a","_rev":"1-ABC","_revisions":{"start":1,"ids":["ABC"]}}"#
        try importing(stream(odd), "--keep-revisions")
            .expectFailure(4, "'1-ABC' is not a revision ID")
        try shell.divan(["import", "db", "-", "--keep-revisions"], input: "{}")
            .expectFailure(2, "--from couchdb")
        try shell.run("upgrade", "db", "--yes")
        try importing(bare, "--keep-revisions").expectFailure(4, "version vectors")
        #expect(try shell.run("ls", "db").output.isEmpty)
    }
}

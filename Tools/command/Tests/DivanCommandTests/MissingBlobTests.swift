import DivanTestKit
import Foundation
import Testing

/// Documents that are written or read without their blobs: this is reported.
@Suite struct MissingBlobTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "plain", "{}")
        try shell.write("photo.png", "a picture")
        try shell.run("blob", "put", "db", "trip", "photo", "photo.png")
        try shell.run("blob", "put", "db", "trip", "again", "photo.png")
        try shell.run("new", "other")
    }

    @Test func `an export without blobs says so`() throws {
        let told = try shell.run("export", "db", "out.jsonl")
        #expect(told.errors.contains("1 blob not included (use '--blobs')"), "\(told)")
        let json = try shell.run("export", "db", "out.jsonl", "--json").json()
        #expect(json["blobsLeftOut"] as? Int == 1)
        let whole = try shell.run("export", "db", "out.jsonl", "--blobs")
        #expect(!whole.errors.contains("not included"))
        try shell.run("rm", "db", "trip")
        #expect(try !shell.run("export", "db", "out.jsonl").errors.contains("not included"))
    }

    @Test func `an import reports missing blobs`() throws {
        try shell.run("export", "db", "out.jsonl")
        let outcome = try shell.divan("import", "other", "out.jsonl")
        #expect(
            outcome.status == 8 && outcome.errors.contains("Imported 2 documents"),
            "\(outcome)"
        )
        #expect(outcome.errors.contains("divan: blob sha1-"))
        #expect(
            outcome.errors.contains(
                "divan: 1 blob missing\nhint: run 'divan check' to list the documents"
            )
        )
        let again = try shell.divan("import", "other", "out.jsonl", "--json")
        #expect(again.status == 8)
        #expect((try again.json()["missingBlobs"] as? [String])?.count == 1)
        try shell.run("import", "db", "out.jsonl")
    }

    @Test func `blobs in a later line or file are not reported as missing`() throws {
        try shell.run("export", "db", "without.jsonl")
        try shell.run("export", "db", "with.jsonl", "--blobs")
        try shell.run("import", "other", "without.jsonl", "with.jsonl")
        #expect(try shell.run("check", "other").status == 0)
    }

    @Test func `cp from JSON lines reports missing blobs`() throws {
        try shell.run("export", "db", "out.jsonl")
        let outcome = try shell.divan("cp", "out.jsonl", "made")
        #expect(outcome.status == 8 && outcome.errors.contains("Copied 2 documents"), "\(outcome)")
        #expect(outcome.errors.contains("1 blob missing"))
        #expect(try shell.run("ls", "made").output == "plain\ntrip\n")
    }
}

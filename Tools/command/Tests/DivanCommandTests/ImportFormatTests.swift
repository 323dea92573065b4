import DivanTestKit
import Foundation
import Testing

/// Formats and compression that `divan import` and `divan export` select by options, suffixes and contents.
@Suite struct ImportFormatTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func body(_ id: String) throws -> String {
        try shell.run("get", "db", id, "--raw").output
    }

    @Test(arguments: ["gz", "zst"])
    func `an export to a compressed file is imported again, also from standard input`(
        _ suffix: String
    ) throws {
        try shell.run("put", "db", "a", #"{"n":1}"#)
        for name in ["lines.jsonl", "table.csv"] {
            let file = "\(name).\(suffix)"
            try shell.run("export", "db", file)
            let tool = suffix == "gz" ? "gzip" : "zstd"
            if Program.installed(tool) != nil {
                let text = try shell.bash("\(tool) -dc \(file)").output
                #expect(
                    text
                        == (name == "table.csv" ? "_id,n\r\na,1\r\n" : #"{"_id":"a","n":1}"# + "\n")
                )
            }
            let copy = "copy" + name.prefix(1)
            try shell.run("new", copy)
            try shell.run("import", copy, file)
            #expect(try shell.run("get", copy, "a", "--raw").output == #"{"n":1}"# + "\n")
        }
        let input = "divan import db - <lines.jsonl.\(suffix)"
        #expect(try shell.bash(input).errors.contains("1 document is unchanged"))
        try shell.run("export", "db", "rows.jsonl.\(suffix)", "--query", "SELECT n FROM _")
        try shell.run("import", "db", "rows.jsonl.\(suffix)")
    }

    @Test func `an incomplete compressed file is reported with the byte`() throws {
        try shell.run("put", "db", "a", "{}")
        try shell.run("export", "db", "a.jsonl.gz")
        _ = try shell.bash("head -c 20 a.jsonl.gz >cut.gz")
        try shell.divan("import", "db", "cut.gz")
            .expectFailure(4, "cut.gz: byte 20: the gzip data is incomplete", "complete")
    }

    @Test func `--path imports an array, or an object of IDs and documents`() throws {
        try shell.write("items.json", #"{"n":1,"data":{"items":[{"_id":"a","n":1}]}}"#)
        try shell.run("import", "db", "items.json", "--path", "/data/items")
        #expect(try body("a") == #"{"n":1}"# + "\n")
        try shell.write("map.json", #"{"b":{"n":2},"c":{"n":3}}"#)
        try shell.run("import", "db", "map.json", "--path", ".")
        #expect(try body("c") == #"{"n":3}"# + "\n")
        try shell.divan("import", "db", "items.json", "--path", "/data/rows")
            .expectFailure(4, "no value at '/data/rows'", "the keys there are 'items'")
        try shell.divan("import", "db", "items.json", "--path", "data")
            .expectFailure(2, "invalid value 'data' for '--path'", "'/data'")
        try shell.divan("import", "db", "items.json", "--path", "/x", "--from", "couchdb")
            .expectFailure(2, "'--path' cannot be used with '--from couchdb'")
        _ = try shell.bash("mkdir folder")
        try shell.divan("import", "db", "folder", "--path", "/x")
            .expectFailure(2, "'--path' cannot be used with a directory")
    }

    @Test func `--from mongodb imports Extended JSON, which an import as JSON suggests`() throws {
        try shell.write(
            "m.json",
            #"{"_id":{"$oid":"5f6a7b8c9d0e1f2a3b4c5d6e"},"n":{"$numberLong":"9007199254740993"}}"#
        )
        try shell.divan("import", "db", "m.json")
            .expectFailure(4, "the Extended JSON of MongoDB", "--from mongodb")
        try shell.run("import", "db", "m.json", "--from", "mongodb")
        #expect(try body("5f6a7b8c9d0e1f2a3b4c5d6e") == #"{"n":9007199254740993}"# + "\n")
    }

    @Test func `GeoJSON is recognized by its suffix`() throws {
        let features = #"{"type":"FeatureCollection","features":[{"type":"Feature","id":7}]}"#
        try shell.write("f.geojson", features)
        try shell.write("f.txt", features)
        try shell.run("import", "db", "f.geojson")
        #expect(try body("7") == #"{"id":7,"type":"Feature"}"# + "\n")
        let again = try shell.run("import", "db", "f.txt", "--from", "geojson")
        #expect(again.errors.contains("1 document is unchanged"))
    }
}

import DivanTestKit
import Foundation
import Testing

/// Properties whose names have a meaning in lines pass through lines unchanged.
@Suite struct EscapedPropertyTests {
    private static let body = ##"{"_collection":"zoo.cats","_sequence":5,"v":1}"##
    private static let line =
        ##"{"":{"_collection":"zoo.cats","_sequence":5},"_id":"own","v":1}"## + "\n"

    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "own", Self.body)
    }

    @Test(arguments: [[], ["--since", "0"], ["--array"]])
    func `export and import keep properties named _collection and _sequence`(
        _ options: [String]
    ) throws {
        let lines = try shell.divan(["export", "db"] + options).output
        if options.isEmpty { #expect(lines == Self.line) }
        try shell.write("lines", lines)
        try shell.run("new", "again")
        try shell.run("import", "again", "lines")
        #expect(try shell.run("get", "again", "own", "--raw").output == Self.body + "\n")
        #expect(try shell.run("lscoll", "again").lines.count == 1)
    }

    @Test func `CSV keeps properties named _collection and _sequence`() throws {
        try shell.run("export", "db", "db.csv")
        try shell.run("new", "again")
        try shell.run("import", "again", "db.csv", "--from", "csv")
        #expect(try shell.run("get", "again", "own", "--raw").output == Self.body + "\n")
        try shell.divan("import", "again", "db.csv", "--from", "csv", "--since", "1")
            .expectFailure(2, "--since")
    }

    @Test func `JSON lines keep properties named _collection in every collection`() throws {
        try shell.run("mkcoll", "db", "geo.places")
        try shell.run("put", "db", "own", #"{"_collection":7}"#, "-c", "geo.places")
        try shell.run("cp", "db", "db.jsonl")
        try shell.run("cp", "db.jsonl", "again")
        #expect(try shell.run("get", "again", "own", "--raw").output == Self.body + "\n")
        let other = try shell.run("get", "again", "own", "--raw", "-c", "geo.places").output
        #expect(other == ##"{"_collection":7}"## + "\n")
        #expect(try shell.run("lscoll", "again").lines.count == 2)
    }

    @Test func `JSON lines of earlier versions are read as before`() throws {
        try shell.write(
            "lines",
            ##"{"_id":"a","_sequence":9,"v":1}"## + "\n" + ##"{"_id":"b","_sequence":"x"}"## + "\n"
        )
        try shell.run("import", "db", "lines")
        #expect(try shell.run("get", "db", "a", "--raw").output == ##"{"v":1}"## + "\n")
        #expect(try shell.run("get", "db", "b", "--raw").output == ##"{"_sequence":"x"}"## + "\n")
        let empty = ["import", "db", "-"]
        for line in [##"{"":1}"##, ##"{"":{}}"##, ##"{"":{"other":1}}"##] {
            try shell.divan(empty, input: line).expectFailure(4, "a key is empty")
        }
    }
}

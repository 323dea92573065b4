import DivanTestKit
import Foundation
import Testing

/// An array of documents is parsed as strict JSON; the place of an error in it is reported.
@Suite struct BrokenArrayTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    /// A text that is not a valid array, the place of the error, and how many documents come before it.
    struct Broken: Sendable, CustomTestStringConvertible {
        let text: String
        let place: String
        let problem: String
        let count: Int

        var testDescription: String { text }

        static let all = [
            Broken(text: #"[{"a":1},"#, place: "1: byte 9", problem: "not closed", count: 1),
            Broken(text: #"[{"a":1}"#, place: "1: byte 8", problem: "not closed", count: 1),
            Broken(text: "[", place: "1: byte 1", problem: "not closed", count: 0),
            Broken(
                text: #"[{"a":1} {"b":2}]"#,
                place: "1: byte 9",
                problem: "expected a comma or the end of the array",
                count: 1
            ),
            Broken(
                text: #"[{"a":1}}"#,
                place: "1: byte 8",
                problem: "expected a comma or the end of the array",
                count: 1
            ),
            Broken(
                text: "[{\"a\":1},\n{\"b\":2}]\nmore",
                place: "3: byte 19",
                problem: "text after the end",
                count: 2
            ),
            Broken(
                text: #"[{"a":1}][{"b":2}]"#,
                place: "1: byte 9",
                problem: "text after the end",
                count: 1
            ),
            Broken(
                text: #"[{"a":1},]"#,
                place: "1: byte 9",
                problem: "a comma without a document after it",
                count: 1
            ),
            Broken(
                text: #"[{"a":1},,{"b":2}]"#,
                place: "1: byte 9",
                problem: "a comma without a document before it",
                count: 1
            ),
            Broken(
                text: #"[,{"a":1}]"#,
                place: "1: byte 1",
                problem: "a comma without a document before it",
                count: 0
            ),
        ]
    }

    @Test(arguments: Broken.all)
    func `an invalid array is rejected with the number of documents saved before it`(
        _ broken: Broken
    ) throws {
        try shell.write("in.json", broken.text)
        let outcome = try shell.divan("import", "db", "in.json")
        let told =
            switch broken.count {
            case 0: "no documents were saved"
            case 1: "1 document was saved"
            default: "\(broken.count) documents were saved"
            }
        outcome.expectFailure(4, "in.json:\(broken.place): ", broken.problem, told)
        #expect(!outcome.errors.contains("--keep-going"))
        #expect(try shell.run("ls", "db").lines.count == broken.count)
        // The array itself is broken, so leaving documents out does not help.
        #expect(try shell.divan("import", "db", "in.json", "--keep-going").status == 4)
    }

    @Test(arguments: ["[]", " [ \n ] \n", #"[{"a":"]["} , {"b":[[],{}]}]"#, "[\n{}\n,\n{}\n]\n"])
    func `a valid array is imported`(_ text: String) throws {
        try shell.write("in.json", text)
        let count = text.contains("{") ? 2 : 0
        let told = try shell.run("import", "db", "in.json", "--json").json()
        #expect(told["documents"] as? Int == count)
    }

    @Test(arguments: ["1", "true", #""x""#, "[2]", "}", #"1"a""#])
    func `an array item that is not a document can be skipped`(_ item: String) throws {
        try shell.write("in.json", #"[{"a":1},\#(item),{"b":2}]"#)
        try shell.divan("import", "db", "in.json").expectFailure(4, "in.json:1", "--keep-going")
        let outcome = try shell.divan("import", "db", "in.json", "--keep-going")
        #expect(outcome.status == 8, "\(outcome)")
        #expect(outcome.errors.contains("2 documents"), "\(outcome)")
    }

    @Test func `empty CouchDB responses between others are accepted`() throws {
        let rows = { (id: String) in #"{"rows":[{"_id":"\#(id)"}]}"# }
        let none = #"{"rows":[ ]}"#
        try shell.write(
            "in.json",
            [none, rows("a"), none, rows("b"), none].joined(separator: "\n")
        )
        try shell.run("import", "db", "in.json", "--from", "couchdb")
        #expect(try shell.run("ls", "db").output == "a\nb\n")
    }
}

import DivanJSON
import DivanQuery
import DivanSQL
import Testing

/// `divan_vector`, which reads the vectors of an index, and the tables of one.
@Suite struct VectorTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func vector(_ value: String, _ dimensions: Int) throws -> String {
        try scratch.value("hex(divan_vector1(\(value), \(dimensions)))")
    }

    private func array(_ json: String) -> String { "CAST('\(json)' AS BLOB)" }

    @Test func `arrays, base64 text and binary give the same floats`() throws {
        let floats = "'0000803F000000C00000003F'"
        #expect(try vector(array("[1, -2, 0.5]"), 3) == floats)
        #expect(try vector(array("[ 1.0 ,-2e0, 5e-1 ]"), 3) == floats)
        #expect(try vector("'AACAPwAAAMAAAAA/'", 3) == floats)
        #expect(try vector("x'030000803F000000C00000003F'", 3) == floats)
    }

    @Test func `padding of base64 is optional`() throws {
        let floats = "'0000803F'"
        for text in ["AACAPw==", "AACAPw=", "AACAPw"] {
            #expect(try vector("'\(text)'", 1) == floats)
        }
    }

    @Test(arguments: [
        "NULL", "x''", "x'02'", "7", "1.5", "''", "'AACAPw'", "'AACAPwAAAMAAAAA/AAAA'",
        "'AACAPwAAAMAAAAA*'", "'AACA PwAAAMAAAAA/'", "'=ACAPwAAAMAAAAA/'", "x'030000803F'",
        "x'030000803F000000C0000080FF'", "'AACAPwAAAMAAAIB/'",
    ])
    func `a value that is not a vector is MISSING`(value: String) throws {
        #expect(try scratch.value("divan_vector1(\(value), 3)") == "MISSING")
    }

    @Test(arguments: [
        "[1, 2]", "[1, 2, 3, 4]", "[1, 2, \"3\"]", "[1, 2, null]", "[1, 2, true]", "[1, 2, [3]]",
        "[1, 2, 1e39]", "[]", "[1, 2", "[1, 2,", "{\"a\": 1}",
    ])
    func `an array that is not a vector of the given length is MISSING`(json: String) throws {
        #expect(try scratch.value("divan_vector1(\(array(json)), 3)") == "MISSING")
    }

    @Test func `a vector with an invalid number of dimensions is MISSING`() throws {
        for dimensions in ["0", "-1", "4097", "9223372036854775807", "NULL", "'x'"] {
            let call = "divan_vector1(\(array("[1]")), \(dimensions))"
            #expect(try scratch.value(call) == "MISSING")
        }
        let long = array("[" + Array(repeating: "1", count: 4096).joined(separator: ",") + "]")
        #expect(try scratch.value("length(divan_vector1(\(long), 4096))") == "16384")
    }

    private static let columns = SQLDocumentColumns(
        id: "name",
        sequence: "number",
        revision: "edition",
        revisionText: "hex",
        flags: "marks",
        expiration: "ends",
        body: "content"
    )

    private func translation(
        _ expression: String,
        isLazy: Bool = false
    ) throws -> SQLIndexTranslation {
        let options = QueryVectorOptions(dimensions: 2, centroidCount: 2, isLazy: isLazy)
        let vector = try QueryExpression(sql: expression).checked(over: .standard)
        return try SQLIndexTranslation(
            .vector(vector, options),
            name: "it's",
            table: "notes",
            documents: Self.columns
        )
    }

    @Test func `names and paths of an index are written without quotes`() throws {
        let translation = try translation("a.`v'`")
        #expect(translation.create.isEmpty)
        #expect(translation.tables.map(\.name) == ["notes_vectors_69742773"])
        #expect(translation.tables[0].create.contains(#"divan_result1(content, '.a.v\27')"#))
    }

    @Test func `an index has the vectors of all live documents, after each change`() throws {
        let index = try translation("v").tables[0]
        let notes = "notes (number INTEGER PRIMARY KEY, name, edition, marks, ends, content)"
        _ = try scratch.rows("CREATE TABLE \(notes)")
        func put(_ number: Int, _ json: String) throws {
            _ = try scratch.rows(
                "INSERT INTO notes VALUES (\(number), 'a', x'', 0, NULL, CAST('\(json)' AS BLOB))"
            )
        }
        func rows() throws -> [[String]] {
            try scratch.rows(
                "SELECT number, owner, hex(vector) FROM \(index.name) ORDER BY owner"
            )
        }
        try put(1, #"{"v":[1,0]}"#)
        for statement in index.create.split(separator: /;\n(?=CREATE|INSERT)/) {
            _ = try scratch.rows(String(statement))
        }
        try put(2, #"{"v":[0,1]}"#)
        try put(3, #"{"v":[0,1,2]}"#)
        let (right, up) = ("'0000803F00000000'", "'000000000000803F'")
        #expect(try rows() == [["1", "1", right], ["2", "2", up]])
        // A save with the same vector.
        _ = try scratch.rows("UPDATE \(index.name) SET vector = NULL WHERE owner = 1")
        for (old, new) in [(1, 4), (4, 6)] {
            _ = try scratch.rows("UPDATE notes SET number = \(new) WHERE number = \(old)")
            #expect(try rows() == [["2", "2", up], ["1", "\(new)", "''"]])
        }
        // A change in place, of the same vector and of another one.
        _ = try scratch.rows(
            #"UPDATE notes SET content = CAST('{"a":1,"v":[1,0]}' AS BLOB) WHERE number = 6"#
        )
        #expect(try rows() == [["2", "2", up], ["1", "6", "''"]])
        _ = try scratch.rows(
            #"UPDATE notes SET content = CAST('{"v":[1,0]}' AS BLOB) WHERE number = 2"#
        )
        #expect(try rows() == [["2", "2", right], ["1", "6", "''"]])
        _ = try scratch.rows(
            #"UPDATE notes SET content = CAST('{"v":[0,1]}' AS BLOB) WHERE number = 2"#
        )
        _ = try scratch.rows(
            #"UPDATE notes SET number = 7, content = CAST('{"v":[0,1]}' AS BLOB) WHERE number = 6"#
        )
        #expect(try rows() == [["2", "2", up], ["7", "7", up]])
        _ = try scratch.rows("UPDATE notes SET marks = 1 WHERE number = 2")
        _ = try scratch.rows("DELETE FROM notes WHERE number = 7")
        #expect(try rows() == [])
    }
}

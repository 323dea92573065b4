import DivanDelta
import DivanJSON
import DivanTestKit
import Testing

/// The deltas that Fleece writes, and the results of its applying them (`delta.md` §10).
@Suite struct VectorTests {
    @Test(arguments: try Vectors.load()["create"]?.array ?? [])
    func `creates the same delta as Fleece`(_ vector: JSON) throws {
        let old = try #require(vector["old"])
        let new = try #require(vector["new"])
        let theirs = try #require(vector["delta"])
        let ours = JSONDelta.make(from: old, to: new)
        #expect(try JSONDelta.apply(theirs, to: old) == new)
        #expect(try JSONDelta.apply(ours, to: old) == new)
        // Where a text is patched, any correct patch will do.
        let text = try String(decoding: theirs.canonicalBytes(), as: UTF8.self)
        if !text.contains(",0,2]") { #expect(ours == theirs) }
    }

    @Test(arguments: try Vectors.load()["apply"]?.array ?? [])
    func `applies a delta with the same result as Fleece`(_ vector: JSON) throws {
        let old = try #require(vector["old"])
        let delta = try JSON(parsing: try #require(vector["deltaText"]?.string))
        let result = try #require(vector["resultText"]?.string)
        // A deleted array item becomes "undefined" there, an error here (§4).
        let fails = vector["error"]?.isNull != true || result.contains("undefined")
        if fails {
            #expect(throws: DeltaError.self) { try JSONDelta.apply(delta, to: old) }
        } else {
            #expect(try JSONDelta.apply(delta, to: old) == JSON(parsing: result))
        }
    }

    @Test func `the vectors are complete`() throws {
        let vectors = try Vectors.load()
        #expect(vectors["create"]?.array?.count == 33)
        #expect(vectors["apply"]?.array?.count == 24)
    }
}

enum Vectors {
    static func load() throws -> JSON { try JSON(parsing: Fixture("delta.json").bytes()) }
}

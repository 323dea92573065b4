import DivanConflicts
import DivanJSON
import DivanRevisions
import DivanTestKit
import Testing

@Suite struct FieldMergeTests {
    /// Local, remote and base, and the result; the remote has the greater ID.
    @Test(arguments: [
        // Only one side changed, added or removed a field.
        (#"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#, #"{"a":1,"b":1}"#, #"{"a":2,"b":2}"#),
        (#"{"a":1,"x":1}"#, #"{"a":1,"y":1}"#, #"{"a":1}"#, #"{"a":1,"x":1,"y":1}"#),
        (#"{"b":1}"#, #"{"a":1,"b":2}"#, #"{"a":1,"b":1}"#, #"{"b":2}"#),
        (#"{"a":2,"b":1}"#, #"{"b":1}"#, #"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#),
        // Both did: the winner is used, here the remote.
        (#"{"a":2,"x":1}"#, #"{"a":3}"#, #"{"a":1}"#, #"{"a":3,"x":1}"#),
        // Recursively.
        (
            #"{"o":{"p":2,"q":1}}"#, #"{"o":{"p":1,"q":2}}"#, #"{"o":{"p":1,"q":1}}"#,
            #"{"o":{"p":2,"q":2}}"#
        ),
        // Arrays and typed objects are taken whole.
        (#"{"l":[1,2],"x":1}"#, #"{"l":[1,3]}"#, #"{"l":[1]}"#, #"{"l":[1,3],"x":1}"#),
        (
            #"{"i":{"@type":"blob","digest":"A","length":1},"x":1}"#,
            #"{"i":{"@type":"blob","digest":"B"}}"#, #"{}"#,
            #"{"i":{"@type":"blob","digest":"B"},"x":1}"#
        ),
        // An object against a scalar.
        (#"{"a":{"b":1},"x":1}"#, #"{"a":5}"#, #"{"a":0}"#, #"{"a":5,"x":1}"#),
    ])
    func `merges fields by comparing them with the ancestor`(
        local: String,
        remote: String,
        base: String,
        merged: String
    ) throws {
        let question = conflict(try leaf("2-0a", local), try leaf("2-0b", remote), base: base)
        let body = try body(of: FieldMergeResolver.fieldMerge.resolve(question), for: question)
        #expect(body == merged)
    }

    @Test(arguments: [
        (#"{"a":1,"x":1}"#, #"{"a":2,"y":1}"#, #"{"a":2,"x":1,"y":1}"#),
        (#"{"o":{"p":1}}"#, #"{"o":{"q":2}}"#, #"{"o":{"p":1,"q":2}}"#),
    ])
    func `keeps all fields without an ancestor`(
        local: String,
        remote: String,
        merged: String
    ) throws {
        let question = conflict(try leaf("2-0a", local), try leaf("2-0b", remote))
        #expect(try FieldMergeResolver().resolve(question) == .merge(body: Array(merged.utf8)))
    }

    @Test func `creates no revision if one side already has everything`() throws {
        let less = #"{"a":1}"#
        let more = #"{ "b":2, "a":1 }"#
        let resolver = FieldMergeResolver()
        let remoteHasMore = conflict(try leaf("2-0b", less), try leaf("2-0a", more), base: less)
        #expect(try resolver.resolve(remoteHasMore) == .keepRemote)
        let localHasMore = conflict(try leaf("2-0a", more), try leaf("2-0b", less), base: less)
        #expect(try resolver.resolve(localHasMore) == .keepLocal)
    }

    @Test func `chooses between equal bodies by the default rule`() throws {
        let (one, other) = (try leaf("2-0b", #"{"a":1}"#), try leaf("2-0a", #"{ "a":1 }"#))
        let resolver = FieldMergeResolver()
        #expect(try resolver.resolve(conflict(one, other)) == .keepLocal)
        #expect(try resolver.resolve(conflict(other, one)) == .keepRemote)
    }

    @Test func `a deletion wins`() throws {
        let resolver = FieldMergeResolver()
        let local = conflict(try leaf("2-0a", nil), try leaf("9-0b"))
        let remote = conflict(try leaf("9-0b"), try leaf("2-0a", nil))
        #expect(try resolver.resolve(local) == .keepLocal)
        #expect(try resolver.resolve(remote) == .keepRemote)
    }

    @Test func `rejects a body that is not JSON`() throws {
        let question = conflict(try leaf("2-0a", "{"), try leaf("2-0b"))
        #expect(throws: JSONError.self) { try FieldMergeResolver().resolve(question) }
    }

    /// Two peers that each call their own side local get the same body.
    @Test(arguments: UInt64(0)..<200)
    func `both peers get the same merged body`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let base = object(using: &generator)
        let one = try leaf("2-0a", object(using: &generator))
        let other = try leaf("2-0b", object(using: &generator))
        let hasBase = Bool.random(using: &generator)
        let here = conflict(one, other, base: hasBase ? base : nil)
        let there = conflict(other, one, base: hasBase ? base : nil)
        let resolver = FieldMergeResolver()
        let first = try body(of: resolver.resolve(here), for: here)
        let second = try body(of: resolver.resolve(there), for: there)
        #expect(first == second, "seed \(seed)")
    }

    /// The example of the README.
    @Test func `keeps the edits of both sides`() throws {
        let mine = try leaf("2-0a", #"{"name":"Sofa","stars":4}"#)
        let theirs = try leaf("2-0b", #"{"name":"Divan","stars":5}"#)
        let ancestorBody = Array(#"{"name":"Divan","stars":4}"#.utf8)

        let conflict = Conflict(
            documentID: "sofa",
            local: mine,
            remote: theirs,
            base: ancestorBody
        )
        let resolution = try FieldMergeResolver.fieldMerge.resolve(conflict)

        #expect(resolution == .merge(body: Array(#"{"name":"Sofa","stars":5}"#.utf8)))
    }

    private func body(of resolution: Resolution, for conflict: Conflict) throws -> String {
        let bytes: [UInt8] =
            switch resolution {
            case .keepLocal: conflict.local.body
            case .keepRemote: conflict.remote.body
            case .merge(let body, _): body
            case .delete: []
            }
        return String(decoding: try JSON(parsing: bytes).canonicalBytes(), as: UTF8.self)
    }

    private func object(using generator: inout SeededGenerator) -> String {
        let members = ["a", "b", "c"].compactMap { key -> String? in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: nil
            case 1: #""\#(key)":[\#(Int.random(in: 0...1, using: &generator))]"#
            case 2: #""\#(key)":{"x":\#(Int.random(in: 0...2, using: &generator))}"#
            case 3: #""\#(key)":{"y":1,"x":\#(Int.random(in: 0...1, using: &generator))}"#
            default: #""\#(key)":\#(Int.random(in: 0...2, using: &generator))"#
            }
        }
        return "{\(members.joined(separator: ","))}"
    }
}

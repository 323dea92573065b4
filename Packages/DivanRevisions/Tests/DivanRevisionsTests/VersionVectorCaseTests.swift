import DivanRevisions
import DivanTestKit
import Testing

/// Every case of the two files of vectors.
@Suite struct VersionVectorCaseTests {
    private func cases() throws -> VectorCases { try VectorCases.all.get() }

    @Test func `the text and binary forms are those of Couchbase Lite`() throws {
        for item in try cases().codec {
            let vector = try vector(item.text)
            #expect(vector.description == item.canonicalText)
            #expect(vector.current?.description == item.current)
            #expect(
                vector.mergeCount + 1 == item.currentCount && vector.versions.count == item.count
            )
            #expect(vector.encoded.hexText == item.binaryHex, "\(item.text)")
            #expect(try VersionVector(encoded: vector.encoded.span) == vector)
        }
        #expect(try cases().codec.count == 12)
    }

    @Test func `malformed text is rejected`() throws {
        for item in try cases().refused {
            #expect(throws: VersionError.self, "\(item.why)") { try VersionVector(item.text) }
        }
        #expect(try cases().refused.count == 12)
    }

    @Test func `vectors are compared as in Couchbase Lite`() throws {
        for item in try cases().compare {
            let (first, second) = (
                try item.a.isEmpty ? VersionVector() : vector(item.a),
                try item.b.isEmpty ? VersionVector() : vector(item.b)
            )
            #expect(
                first.order(to: second) == (try order(item.aComparedToB)),
                "\(item.a) | \(item.b)"
            )
        }
        #expect(try cases().compare.count == 16)
    }

    @Test func `saving and merging give the same vectors as Couchbase Lite`() throws {
        for item in try cases().operations {
            let text = try outcome(of: item)
            #expect(text == item.result ?? "refused", "\(item)")
        }
        #expect(try cases().operations.count == 15)
    }

    private func outcome(of item: VectorCases.Operation) throws -> String {
        switch item.op {
        case "save":
            let old = item.vector ?? ""
            let vector = try old.isEmpty ? VersionVector() : vector(old)
            return vector.saved(by: .me, at: try time(item.newTime)).description
        case "merge":
            let (first, second) = (try vector(item.a ?? ""), try vector(item.b ?? ""))
            let time = try time(item.newTime)
            let other = try? second.merged(with: first, by: .me, at: time)
            let result = try? first.merged(with: second, by: .me, at: time)
            #expect(other == result)
            return result?.description ?? "refused"
        default:
            #expect(item.op == "trivialMerge")
            return try vector(item.winner ?? "").winning(over: vector(item.loser ?? "")).description
        }
    }

    @Test func `the clock behaves like that of Couchbase Lite`() throws {
        for item in try cases().clock {
            let wall = try time(item.wall)
            if item.op == "now" {
                var clock = HybridClock(last: try time(item.last))
                let now = clock.now(wall: wall)
                #expect(now == (try time(item.result)))
                continue
            }
            var clock = HybridClock()
            let seen = try time(item.time)
            let isSeen = (try? clock.see(seen, wall: wall)) != nil
            #expect(isSeen == item.result.hasPrefix("accepted"), "\(item)")
            let next = clock.now(wall: wall) ?? 0
            #expect(!isSeen || next > seen)
        }
        #expect(try cases().clock.count == 8)
    }

    @Test func `text with tree IDs is parsed`() throws {
        for item in try cases().mixedText {
            // Digests of three digits are not whole bytes.
            let whole = { (text: String) in
                text.replacing("2-abc", with: "2-abcd").replacing("1-def", with: "1-cdef")
            }
            let mixed = try MixedVector(whole(item.text))
            #expect(mixed.vector.current?.description == item.cv)
            #expect(mixed.vector.merged.map(\.description) == item.mv)
            #expect(mixed.vector.previous.map(\.description) == item.pv)
            #expect(mixed.legacy.map(\.description) == item.legacy.map(whole))
            #expect(try MixedVector(mixed.description) == mixed)
            let current = try #require(mixed.current)
            #expect(try MixedVector(current, history: mixed.history) == mixed, "\(mixed.history)")
        }
        #expect(try cases().mixedText.count == 6)
    }

    /// Sync Gateway joins the versions, which end with the semicolon, and the tree IDs with commas.
    @Test(arguments: [";,2-abcd,1-cdef", ";, 2-abcd, 1-cdef", "; ,2-abcd,1-cdef"])
    func `only tree IDs can follow an empty entry after the merged versions`(
        rest: String
    ) throws {
        let current = "9@KjVAS1ZhbHeCjZijrrnEzw"
        let merged = "8@T1plcHuGkZynsr3I097p9A"
        let mixed = try MixedVector(current + "," + merged + rest)
        #expect(mixed.vector.merged.map(\.description) == [merged])
        #expect(mixed.vector.previous.isEmpty)
        #expect(mixed.legacy == [try id("2-abcd"), try id("1-cdef")])
        let named = try #require(RevisionID(ofAnyScheme: current))
        #expect(try MixedVector(named, history: merged + rest) == mixed)
        #expect(mixed.description == "\(current), \(merged); 2-abcd, 1-cdef")
    }

    @Test func `tree IDs are converted as in Couchbase Lite`() throws {
        let conversions = try VectorCases.conversions()
        for item in conversions {
            let version = Version(converting: try id(item.revTreeID))
            #expect(version?.description == item.version)
        }
        #expect(conversions.count == 8)
        #expect(Version(converting: try id("8388608-aa")) == nil)
    }

    /// Here, a revision that has the tree ID or its converted form knows the other form as well; LiteCore
    /// treats the two as unrelated, and asks a resolver.
    @Test func `mixed histories are compared as in LiteCore`() throws {
        var beyond: [String] = []
        for item in try cases().mixedCompare {
            let (new, held) = (try MixedVector(item.new), try MixedVector(item.held))
            let theirs = try order(item.newComparedToHeld)
            #expect(
                new.orderAtCouchbaseLite(to: held) == theirs,
                "\(item.new) | \(item.held)"
            )
            let expected = try item.byVectorsAlone.map { try order($0) } ?? theirs
            let ours = new.order(to: held)
            guard ours != expected else { continue }
            #expect(expected == .conflict && ours == .newer, "\(item.new) | \(item.held)")
            beyond.append(item.new + " | " + item.held)
        }
        #expect(try cases().mixedCompare.count == 80)
        #expect(beyond.count == 4)
        #expect(beyond.allSatisfy { $0.contains("@Revision+Tree+Encoding") })
    }

    @Test func `two merges of the same versions are one revision if their bodies are equal`() throws
    {
        for item in try cases().redundantMergeCompare {
            let (new, held) = (try MixedVector(item.new), try MixedVector(item.held))
            let isSame = item.equalBodies && new.vector.isRedundantMerge(of: held.vector)
            let expected = try order(item.newComparedToHeld)
            #expect((isSame ? .same : new.order(to: held)) == expected, "\(item)")
        }
        #expect(try cases().redundantMergeCompare.count == 5)
    }
}

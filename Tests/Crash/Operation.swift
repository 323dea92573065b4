@_spi(Stores) import CouchbaseLiteSwift
import DivanTestKit

/// What a thread does at one step; it depends only on the seed, the lane and the step, so the
/// process that checks knows what the killed one did.
struct Operation {
    enum Kind {
        case save(String)
        case batch
        case blob(String, [UInt8])
        /// A document whose first two revisions are in conflict.
        case conflict
        /// Merges every conflict, and purges the documents of earlier ones.
        case resolve
        case checkpoint
        case delete(String)
        case purge(String)
        case makeCollection
        case dropCollection
        case makeIndex(CrashIndex)
        case dropIndex(CrashIndex)
        /// Trains the vector index, or moves new vectors into its cells, if it is time.
        case train
        case compact
        /// Packs bodies with a new dictionary, or stops packing, and perhaps repacks existing ones.
        case pack(UInt8?, compacting: Bool)
    }

    /// Words that occur in the texts, each followed by a blank.
    static let words = (0..<7).map { "word\($0)" }

    static let batchCount = 20

    let lane: Lane
    let step: UInt64
    let kind: Kind
    /// The body of every document that the step writes, except for a blob's.
    let body: String

    init(seed: UInt64, lane: Lane, step: UInt64) {
        var generator = SeededGenerator(
            seed: seed &+ UInt64(lane.number) &* 1_000_003 &+ step &* 7_919
        )
        self.lane = lane
        self.step = step
        let filler = String(repeating: "x", count: .random(in: 0...2_000, using: &generator))
        let tags = #"["a\#(step % 5)","b\#(step % 3)"]"#
        let text = "one word\(step % 7) more"
        let vector = (0..<4).map { _ in "\(Int.random(in: -99...99, using: &generator))" }
            .joined(separator: ",")
        body =
            #"{"filler":"\#(filler)","step":\#(step),"tags":\#(tags),"text":"\#(text)","#
            + #""vector":[\#(vector)]}"#
        let changesPacking = Self.packsBodies(seed) && lane.keepsPacking
        if changesPacking, step == 0 || Int.random(in: 0..<100, using: &generator) < 4 {
            let forms = BodyCompression.allCases.filter {
                $0.isAvailable && (step > 0 || $0 != .none)
            }
            let form = forms.randomElement(using: &generator) ?? .lz4
            kind = .pack(form.codec, compacting: Int.random(in: 0..<3, using: &generator) == 0)
        } else {
            kind = Self.kind(lane, &generator)
        }
    }

    /// Whether the database of a seed packs the bodies of its default collection: every other one does.
    static func packsBodies(_ seed: UInt64) -> Bool { seed.isMultiple(of: 2) }

    private static func kind(_ lane: Lane, _ generator: inout SeededGenerator) -> Kind {
        func name(_ letter: String, _ count: Int, _ generator: inout SeededGenerator) -> String {
            "\(lane.prefix)\(letter)-\(Int.random(in: 0..<count, using: &generator))"
        }
        func index(_ generator: inout SeededGenerator) -> CrashIndex {
            CrashIndex.allCases.randomElement(using: &generator) ?? .value
        }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: return .save(name("d", 40, &generator))
        case 25..<27: return .train
        case 27..<32: return .makeIndex(index(&generator))
        case 32..<35: return .dropIndex(index(&generator))
        case 35..<45: return .batch
        case 45..<57:
            let count = Int.random(in: 1...60_000, using: &generator)
            let id = name("p", 20, &generator)
            let byte = UInt8.random(in: 0...255, using: &generator)
            var content = [UInt8](repeating: byte, count: count)
            for index in stride(from: 0, to: count, by: 97) {
                content[index] = UInt8.random(in: 0...255, using: &generator)
            }
            return .blob(id, content)
        case 57..<65: return .conflict
        case 65..<70: return .resolve
        case 70..<80: return .checkpoint
        case 80..<88: return .delete(name("d", 40, &generator))
        case 88..<93: return .purge(name("d", 40, &generator))
        case 93..<96: return .makeCollection
        case 96..<98: return .dropCollection
        default: return lane.number == 0 ? .compact : .save(name("d", 40, &generator))
        }
    }

    /// The documents of a batch.
    var batchIDs: [String] { (0..<Self.batchCount).map { "\(lane.prefix)b-\($0)" } }
    /// The document in which a conflict is created.
    var conflictID: String { lane.conflictPrefix + String(step) }
    /// The document of the lane's collection.
    var collectionID: String { "\(lane.prefix)x" }
}

extension Lane {
    var conflictPrefix: String { "\(prefix)r-" }
}

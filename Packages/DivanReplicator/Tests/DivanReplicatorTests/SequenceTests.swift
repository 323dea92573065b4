import DivanReplicator
import DivanTestKit
import Testing

/// Lists of remote sequences compared to a plain list.
@Suite struct SequenceTests {
    @Test(arguments: UInt64(0)..<4)
    func `the safe sequence is the last before the oldest unfinished one`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var list = RemoteSequences(since: RemoteSequence(0))
        var model: [(sequence: UInt64, isFinished: Bool)] = [(0, true)]
        for sequence in UInt64(1)...1_500 {
            let isFinished = Bool.random(using: &generator)
            list.announce(RemoteSequence(sequence), isFinished: isFinished)
            model.append((sequence, isFinished))
            let index = Int.random(in: 4...max(4, model.count - 1), using: &generator)
            if index < model.count, !model[index].isFinished {
                #expect(finish(RemoteSequence(model[index].sequence), in: &list) == true)
                model[index].isFinished = true
            }
        }
        for index in model.indices where !model[index].isFinished {
            let oldest = model.firstIndex { !$0.isFinished }.map { $0 - 1 }
            #expect(list.safe == oldest.map { RemoteSequence(model[$0].sequence) }, "seed \(seed)")
            list.finish(RemoteSequence(model[index].sequence))
            model[index].isFinished = true
        }
        #expect(list.safe == RemoteSequence(1_500))
        #expect(list.unfinishedCount == 0)
    }

    @Test(arguments: UInt64(0)..<16)
    func `sequences in any order are tracked, including repeated and non-numeric ones`(seed: UInt64)
    {
        var generator = SeededGenerator(seed: seed)
        var list = RemoteSequences()
        var model: [(sequence: RemoteSequence, openCount: Int)] = []
        var highest: UInt64 = 0
        for _ in 0..<1_000 {
            let sequence: RemoteSequence
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                sequence = RemoteSequence(
                    json: "\"\(UInt64.random(in: 0...99, using: &generator)):1\""
                )
            case 1:
                sequence = RemoteSequence(
                    json: "00\(UInt64.random(in: 0...highest, using: &generator))"
                )
            case 2: sequence = RemoteSequence(UInt64.random(in: 0...highest, using: &generator))
            default:
                sequence = RemoteSequence(highest)
                highest += UInt64.random(in: 1...3, using: &generator)
            }
            let open = model.firstIndex { $0.sequence == sequence && $0.openCount > 0 }
            #expect(list.isUnfinished(sequence) == (open != nil), "seed \(seed)")
            if Bool.random(using: &generator) {
                list.announce(sequence, isFinished: false)
                if let open { model[open].openCount += 1 } else { model.append((sequence, 1)) }
            } else if let open {
                #expect(finish(sequence, in: &list), "seed \(seed)")
                model[open].openCount -= 1
            } else {
                #expect(!finish(sequence, in: &list), "seed \(seed)")
                list.announce(sequence, isFinished: true)
                model.append((sequence, 0))
            }
            if let oldest = model.firstIndex(where: { $0.openCount > 0 }), oldest > 0 {
                #expect(list.safe == model[oldest - 1].sequence, "seed \(seed)")
                // Finished entries make the model long; only its end is needed.
                model.removeFirst(oldest - 1)
            }
            #expect(list.unfinishedCount == model.count { $0.openCount > 0 }, "seed \(seed)")
        }
    }

    @Test func `a sequence that was announced twice finishes twice`() {
        var list = RemoteSequences()
        list.announce(RemoteSequence(json: #""a""#), isFinished: false)
        list.announce(RemoteSequence(json: #""a""#), isFinished: false)
        #expect(finish(RemoteSequence(json: #""a""#), in: &list) == true)
        #expect(list.safe == nil)
        #expect(finish(RemoteSequence(json: #""a""#), in: &list) == true)
        #expect(list.safe?.json == #""a""#)
        #expect(finish(RemoteSequence(json: #""a""#), in: &list) == false)
    }

    @Test func `announcing an old sequence again does not move the safe sequence back`() {
        var list = RemoteSequences(since: RemoteSequence(7))
        list.mayRepeat = true
        list.announce(RemoteSequence(3), isFinished: true)
        #expect(list.safe == RemoteSequence(7))
        list.announce(RemoteSequence(4), isFinished: false)
        list.announce(RemoteSequence(8), isFinished: true)
        #expect(list.safe == RemoteSequence(7))
        #expect(finish(RemoteSequence(4), in: &list) == true)
        #expect(list.safe == RemoteSequence(8))
        list.announce(RemoteSequence(5), isFinished: false)
        list.finish(RemoteSequence(5))
        #expect(list.safe == RemoteSequence(8))
    }

    @Test(arguments: UInt64(0)..<8)
    func `the next run starts after our pushed changes but never after another peer's change`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var list = RemoteSequences()
        var (strangers, announced): ([UInt64], Int) = ([], 0)
        for sequence in UInt64(1)...600 {
            if Int.random(in: 0..<10, using: &generator) == 0 {
                strangers.append(sequence)
            } else {
                list.notePushed(sequence)
            }
            if announced < strangers.count, Bool.random(using: &generator) {
                list.announce(RemoteSequence(strangers[announced]), isFinished: false)
                list.finish(RemoteSequence(strangers[announced]))
                announced += 1
            }
            let known = list.resumable?.number ?? 0
            #expect(strangers.dropFirst(announced).allSatisfy { $0 > known }, "seed \(seed)")
            #expect(known >= list.safe?.number ?? 0, "seed \(seed)")
        }
        for stranger in strangers.dropFirst(announced) {
            list.announce(RemoteSequence(stranger), isFinished: true)
        }
        #expect(list.resumable == RemoteSequence(600), "seed \(seed)")
    }

    @Test func `a sequence announced again delays the resume point until its revision arrives`() {
        var list = RemoteSequences(since: RemoteSequence(9))
        list.mayRepeat = true
        list.announce(RemoteSequence(4), isFinished: false)
        list.announce(RemoteSequence(6), isFinished: false)
        list.announce(RemoteSequence(10), isFinished: true)
        list.notePushed(11)
        #expect(list.resumable == RemoteSequence(3))
        list.finish(RemoteSequence(4))
        #expect(list.resumable == RemoteSequence(3), "nothing is lost by beginning earlier")
        list.finish(RemoteSequence(6))
        #expect(list.resumable == RemoteSequence(11))
    }

    @Test func `many gaps between pushed sequences are cheap and lose nothing`() {
        var list = RemoteSequences(since: RemoteSequence(0))
        for sequence in stride(from: UInt64(2), to: 10_000, by: 2) { list.notePushed(sequence) }
        #expect(list.resumable == RemoteSequence(0))
        list.announce(RemoteSequence(1), isFinished: true)
        #expect(list.resumable == RemoteSequence(2))
        list.announce(RemoteSequence(json: #""7:9""#), isFinished: true)
        #expect(list.resumable?.json == #""7:9""#)
    }

    private func finish(_ sequence: RemoteSequence, in list: inout RemoteSequences) -> Bool {
        list.finish(sequence)
    }

    /// The table of `checkpoints.md` §5.
    @Test(
        arguments: [
            ("3", "4", true), ("4", "4", false), ("3", #""4:1""#, true), ("4", #""4:9""#, false),
            ("4", #""4:9:9""#, true), ("5", #""4:9:9""#, false), (#""4:9""#, "4", true),
            (#""5:1""#, "4", false), (#""4:1""#, #""5:0""#, true), (#""4:1""#, #""4:2""#, true),
            (#""4:2""#, #""4:2""#, false), (#""4:2""#, #""4:9:1""#, true), (#""3::9""#, "4", true),
            (#""4::9""#, "4", false), (#""4:7:9""#, #""5:1""#, true),
            (#""3:1:1""#, #""4:1:1""#, true),
            (#""4:1:1""#, #""4:1:2""#, true), (#""4::1""#, #""4::2""#, true),
            ("{}", "3", nil), ("3", #""x""#, nil), (#""1:2:3:4""#, "3", nil), (#"":""#, "3", nil),
        ] as [(String, String, Bool?)]
    )
    func `compares Sync Gateway sequence formats`(first: String, second: String, precedes: Bool?) {
        let result = RemoteSequence(json: first).precedes(RemoteSequence(json: second))
        #expect(result == precedes)
    }
}

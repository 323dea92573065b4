import CDivanFloors
import DivanPlatform
import Foundation

/// The cost of a document in allocations and system calls: counts, which a busy machine does not change.
enum CostFigures {
    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        for work in CostlyWork.allCases {
            let prepared = try work.prepare(in: workplace.newDirectory())
            floor_count_allocations(1)
            defer { floor_count_allocations(0) }
            try prepared()
            add(work, "allocations", Double(floor_allocations()), to: &report)
            let calls = try ownCalls(of: work, in: workplace.newDirectory())
            add(work, "system calls", calls, to: &report)
        }
    }

    private static func add(
        _ work: CostlyWork,
        _ what: String,
        _ count: Double,
        to report: inout Report
    ) {
        report.add(
            Figure(
                name: "\(what) of a document, \(work.rawValue)",
                unit: "",
                ours: count / Double(CostlyWork.documentCount),
                floorName: work.remark
            )
        )
    }

    /// Has another process do the work, and counts its system calls.
    private static func ownCalls(of work: CostlyWork, in directory: String) throws -> Double {
        let words = [CommandLine.arguments[0], "role", "cost", work.rawValue, directory]
        var arguments = words.map { Memory.cString($0) } + [nil]
        defer { for argument in arguments { Memory.free(argument) } }
        let count = floor_traced_calls(&arguments)
        guard count >= 0 else { throw BenchFailure("the work of \(work.rawValue) was not traced") }
        return Double(count)
    }
}

/// The process whose system calls or instructions are counted, between its two marks.
struct CostRole {
    private let work: CostlyWork
    private let directory: String
    private let shape: CostlyWork.Shape
    private let onlyPrepares: Bool

    init(_ words: [String]) throws {
        guard (2...4).contains(words.count), let work = CostlyWork(rawValue: words[0]),
            words.count < 4 || words[3] == "ready"
        else { throw BenchFailure("role cost requires WORK DIRECTORY [COUNT [ready]]") }
        onlyPrepares = words.count == 4
        (self.work, directory) = (work, words[1])
        shape = words.count == 2 ? .whole : .clear(try Self.count(words[2]))
    }

    private static func count(_ word: String) throws -> Int {
        guard let count = Int(word), (1_000...100_000).contains(count), count.isMultiple(of: 1_000)
        else { throw BenchFailure("COUNT is a number of thousands") }
        return count
    }

    func run() throws {
        if !shape.usesTLS { try doOnceBefore() }
        let prepared = try work.prepare(shape, in: directory)
        guard !onlyPrepares else { return }
        floor_mark()
        try prepared()
        floor_mark()
    }

    /// Does the same work on other databases, so that the first use of each type is not counted.
    ///
    /// The first cast of a type to a protocol costs 190,000 instructions, and more with each package that is linked.
    private func doOnceBefore() throws {
        let other = directory + "/before"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try work.prepare(shape, in: other)()
    }
}

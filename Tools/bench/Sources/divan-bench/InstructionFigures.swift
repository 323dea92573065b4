import DivanTestKit
import Foundation

/// How many instructions a document costs, as counted by valgrind: the same on a busy machine as on a
/// quiet one, so that every change can be held to them.
///
/// The work of both ends of a sync is counted, in clear text. One of two runs only prepares everything; the
/// difference is the work.
enum InstructionFigures {
    private static let documentCount = 1_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        guard let valgrind = Program.installed("valgrind") else {
            throw BenchFailure("valgrind is not installed; run: sudo apt-get install valgrind")
        }
        let program = try stripped(in: workplace)
        for work in CostlyWork.allCases {
            let counts = try [true, false].map { isWork in
                var words = [work.rawValue, try workplace.newDirectory(), "\(documentCount)"]
                if !isWork { words.append("ready") }
                return try valgrind.count(words, by: program)
            }
            report.add(
                Figure(
                    name: "instructions of a document, \(work.rawValue)",
                    unit: "",
                    ours: (counts[0] - counts[1]) / Double(documentCount),
                    floorName: work.isSync ? "both ends, clear text" : work.remark
                )
            )
        }
    }

    /// This program without debug information, on which valgrind fails.
    private static func stripped(in workplace: BenchContext) throws -> String {
        let path = try workplace.newDirectory() + "/divan-bench"
        guard let objcopy = Program.installed("objcopy") else {
            throw BenchFailure("objcopy is not installed; run: sudo apt-get install binutils")
        }
        let outcome = try objcopy.run(["--strip-debug", Program.current.path, path])
        guard outcome.status == 0 else { throw BenchFailure("objcopy: \(outcome.errors)") }
        return path
    }
}

extension Program {
    /// Counts the instructions of a piece of work.
    fileprivate func count(_ work: [String], by program: String) throws -> Double {
        let words = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "role", "cost"]
        let outcome = try run(words + work)
        guard outcome.status == 0,
            let line = outcome.errors.split(separator: "\n").first(where: {
                $0.contains("Collected :")
            }),
            let count = line.split(separator: " ").last.flatMap({ Double($0) })
        else { throw BenchFailure("valgrind: \(outcome.errors)") }
        return count
    }
}

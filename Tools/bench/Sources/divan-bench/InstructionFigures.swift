import DivanTestKit
import Foundation

/// How many instructions a document costs, as valgrind counts them: the same on a busy machine and a
/// quiet one, so that every change can be held to them.
///
/// What both ends of a sync do is counted, in clear text. Two runs, one over twice the documents of the
/// other, and the difference is theirs: beginning and end cancel out.
enum InstructionFigures {
    private static let documentCount = 2_000

    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        guard let valgrind = Program.installed("valgrind") else {
            throw BenchFailure("valgrind counts instructions: sudo apt-get install valgrind")
        }
        let program = try stripped(in: workplace)
        for work in CostlyWork.allCases {
            let counts = try [documentCount, 2 * documentCount].map { count in
                let directory = try workplace.newDirectory()
                return try valgrind.count(of: work, count, in: directory, by: program)
            }
            report.add(
                Figure(
                    name: "instructions of a document, \(work.rawValue)",
                    unit: "",
                    ours: (counts[1] - counts[0]) / Double(documentCount),
                    floorName: work.isSync ? "both ends, clear text" : work.remark
                )
            )
        }
    }

    /// This program without what debuggers read: valgrind stumbles over it.
    private static func stripped(in workplace: Workplace) throws -> String {
        let path = try workplace.newDirectory() + "/divan-bench"
        guard let objcopy = Program.installed("objcopy") else {
            throw BenchFailure("objcopy is missing: sudo apt-get install binutils")
        }
        let outcome = try objcopy.run(["--strip-debug", Program.current.path, path])
        guard outcome.status == 0 else { throw BenchFailure("objcopy: \(outcome.errors)") }
        return path
    }
}

extension Program {
    /// Counts what a program does to `documentCount` documents, and around them.
    fileprivate func count(
        of work: CostlyWork,
        _ documentCount: Int,
        in directory: String,
        by program: String
    ) throws -> Double {
        let words = [
            "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "role", "cost",
            work.rawValue, directory, "\(documentCount)",
        ]
        let outcome = try run(words)
        guard outcome.status == 0,
            let line = outcome.errors.split(separator: "\n").first(where: {
                $0.contains("Collected :")
            }),
            let count = line.split(separator: " ").last.flatMap({ Double($0) })
        else { throw BenchFailure("valgrind: \(outcome.errors)") }
        return count
    }
}

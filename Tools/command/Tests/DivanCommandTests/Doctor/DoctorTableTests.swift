import DivanTestKit
import Foundation
import Testing

/// `divan doctor` on set-ups that are broken in one place each: it names that place, in the words
/// of the troubleshooting guide.
@Suite(.timeLimit(.minutes(5))) struct DoctorTableTests {
    /// Each set-up that the guide lists.
    static let all: [BrokenSetUp] =
        BrokenSetUp.ways + BrokenSetUp.trusts + BrokenSetUp.answers + BrokenSetUp.databases

    /// A line of the guide's table.
    private struct Row {
        let step: String
        let words: String
    }

    /// The guide's table, by what is wrong.
    private static func table() throws -> [String: Row] {
        let page = try Guide.text("guides/troubleshooting.md")
        let begin = try #require(
            page.range(of: "| problem | step | message |")
        )
        let lines = page[begin.upperBound...].split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        var rows: [String: Row] = [:]
        for line in lines.dropFirst(2).prefix(while: { $0.hasPrefix("| ") }) {
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            try #require(cells.count == 3, "\(line)")
            rows[cells[0]] = Row(step: cells[1], words: cells[2].replacing("`", with: ""))
        }
        return rows
    }

    @Test func `the guide lists exactly the problems that are tested`() throws {
        let titles = Self.all.map(\.title)
        #expect(Set(titles).count == titles.count)
        #expect(try Self.table().keys.sorted() == titles.sorted())
        #expect(titles.count >= 40)
    }

    @Test(arguments: DoctorTableTests.all)
    func `doctor reports the cause of each problem`(setUp: BrokenSetUp) throws {
        let row = try #require(try Self.table()[setUp.title])
        let outcome = try setUp.examine(BrokenPlace())
        #expect(outcome.status == setUp.status, "\(outcome)")
        let findings = try outcome.output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            // In addition to the words, a step may have figures.
            return try #require(value as? [String: Any]).compactMapValues { $0 as? String }
        }
        let failed = findings.filter { $0["verdict"] == "failed" }
        #expect(failed.map { $0["step"] } == (setUp.status == 0 ? [] : [row.step]), "\(outcome)")
        let found = findings.first {
            $0["step"] == row.step && $0["seen"]?.contains(row.words) == true
        }
        #expect(found != nil, "\(row): \(outcome.output)")
        // If nothing is wrong, there is nothing to do.
        if let found, found["verdict"] != "ok" {
            #expect(found["remedy"]?.isEmpty == false, "\(outcome.output)")
        }
    }
}

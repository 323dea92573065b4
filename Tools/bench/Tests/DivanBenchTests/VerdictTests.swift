import DivanTestKit
import Foundation
import Testing

/// The bench's verdict on figures, from the program itself, which is built next to the tests.
@Suite struct VerdictTests {
    @Test(arguments: [("0", "80"), ("80", "0"), ("97", "80")])
    func `a result that is missing or over its limit fails`(ours: String, floor: String) throws {
        let page = try table(ours: ours, floor: floor)
        #expect(page.contains("**missed in run 1**"), "\(page)")
    }

    @Test func `a result within its limit passes`() throws {
        let page = try table(ours: "96", floor: "80")
        #expect(!page.contains("missed"), "\(page)")
    }

    /// The page of one run whose only figure must be at most 1.2 times its floor.
    private func table(ours: String, floor: String) throws -> String {
        let folder = try TemporaryDirectory()
        let run = folder.file("run.json")
        let figure =
            #"{"name":"memory","unit":"MB","ours":\#(ours),"floor":\#(floor),"#
            + #""floorName":"before","must":{"times":1.2}}"#
        try Data("{\"figures\":[\(figure)]}".utf8).write(to: URL(filePath: run))
        let outcome = try Program.built("divan-bench").run(["table", run])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }
}

import Foundation
import Testing
import XCTest

/// The tests written with XCTest, as applications write them, run by Swift Testing.
///
/// XCTest finds tests by an index of the build, which this repository's builds leave out.
@Suite(.serialized) struct XCTestCaseTests {
    /// Wraps a test; the object is made and used by the test that runs it.
    struct Entry: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () -> XCTestCase

        init<Case: XCTestCase>(
            _ name: String,
            _ method: @escaping @Sendable (Case) -> () throws -> Void
        ) {
            testDescription = "\(Case.self).\(name)"
            make = { Case(name: name) { try method($0 as! Case)() } }
        }
    }

    static let entries = [
        Entry("testSelect", BuilderClauseTests.testSelect),
        Entry("testJoin", BuilderClauseTests.testJoin),
        Entry("testWhere", BuilderClauseTests.testWhere),
        Entry("testArrayOperators", BuilderClauseTests.testArrayOperators),
        Entry("testGroupByAndHaving", BuilderClauseTests.testGroupByAndHaving),
        Entry("testOrderByAndLimit", BuilderClauseTests.testOrderByAndLimit),
        Entry("testFunctions", BuilderClauseTests.testFunctions),
        Entry("testFullText", BuilderClauseTests.testFullText),
        Entry("testIndexes", BuilderClauseTests.testIndexes),
        Entry("testItem1TargetThenProperties", ChecklistTests.testItem1TargetThenProperties),
        Entry("testItem2DatabaseAndTarget", ChecklistTests.testItem2DatabaseAndTarget),
        Entry("testItem3PendingDocuments", ChecklistTests.testItem3PendingDocuments),
        Entry("testItem4Resolver", ChecklistTests.testItem4Resolver),
        Entry("testItem5MergingProperties", ChecklistTests.testItem5MergingProperties),
        Entry("testItem6Filters", ChecklistTests.testItem6Filters),
        Entry("testItem7ErrorCode", ChecklistTests.testItem7ErrorCode),
        Entry("testItem8DocumentEvents", ChecklistTests.testItem8DocumentEvents),
        Entry("testItem9IdentityAndPinning", ChecklistTests.testItem9IdentityAndPinning),
        Entry("testItem10TwoPointX", ChecklistTests.testItem10TwoPointX),
        Entry("testPassiveAndActivePeer", PublicPagesTests.testPassiveAndActivePeer),
        Entry("testSyncGatewayPage", PublicPagesTests.testSyncGatewayPage),
        Entry("testSessionAndChannels", PublicPagesTests.testSessionAndChannels),
        Entry("testListenerWithCertificates", PublicPagesTests.testListenerWithCertificates),
        Entry("testTypedGetters", QueryResultTests.testTypedGetters),
        Entry("testJSONAndCodable", QueryResultTests.testJSONAndCodable),
        Entry("testLiveQuery", QueryResultTests.testLiveQuery),
        Entry("testSelect", SQLClauseTests.testSelect),
        Entry("testFrom", SQLClauseTests.testFrom),
        Entry("testJoin", SQLClauseTests.testJoin),
        Entry("testUnnest", SQLClauseTests.testUnnest),
        Entry("testWhere", SQLClauseTests.testWhere),
        Entry("testGroupByAndHaving", SQLClauseTests.testGroupByAndHaving),
        Entry("testOrderByLimitAndOffset", SQLClauseTests.testOrderByLimitAndOffset),
        Entry("testFunctionsAndExpressions", SQLClauseTests.testFunctionsAndExpressions),
        Entry("testMetadata", SQLClauseTests.testMetadata),
        Entry("testParameters", SQLClauseTests.testParameters),
        Entry("testFullText", SQLClauseTests.testFullText),
        Entry("testIndexesAndExplain", SQLClauseTests.testIndexesAndExplain),
        Entry("testErrors", SQLClauseTests.testErrors),
    ]

    @Test(arguments: entries) func `each XCTest case passes`(_ entry: Entry) {
        let test = entry.make()
        test.run()
        #expect(test.testRun?.hasSucceeded == true)
    }

    @Test func `every XCTest method is listed`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        var count = 0
        for file in try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: nil
        ) {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains(": XCTestCase {\n"),
                file.lastPathComponent != "XCTestCaseTests.swift"
            else { continue }
            count += text.components(separatedBy: "    func test").count - 1
        }
        #expect(count == Self.entries.count)
    }
}

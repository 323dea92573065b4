import DivanJSON
import DivanTestKit
import FoundationEssentials
import Testing

/// The texts of nst/JSONTestSuite, each through the scan, the parser and the reader.
@Suite struct JSONTestSuiteTests {
    @Test(arguments: try texts(startingWith: "y_"))
    func `accepts text that every parser must accept`(_ name: String) throws {
        #expect(try outcome(of: name) == [true, true, true])
    }

    @Test(arguments: try texts(startingWith: "n_"))
    func `rejects text that every parser must reject`(_ name: String) throws {
        #expect(try outcome(of: name) == [false, false, false])
    }

    @Test(arguments: try texts(startingWith: "i_"))
    func `accepts or rejects implementation-defined text as expected`(_ name: String) throws {
        let isAccepted = Self.accepted.contains(name)
        #expect(try outcome(of: name) == [isAccepted, isAccepted, isAccepted])
    }

    @Test func `the suite is complete`() throws {
        #expect(try Self.texts(startingWith: "").count == 318)
    }

    /// Of the texts left open, these are accepted; all others are refused: numbers beyond a double,
    /// bytes that are not UTF-8, a byte order mark, lone surrogates, 500 levels.
    private static let accepted: Set = [
        "i_number_double_huge_neg_exp.json",  // 0.0
        "i_number_real_underflow.json",  // 0.0
        "i_number_too_big_neg_int.json",  // a double
        "i_number_too_big_pos_int.json",
        "i_number_very_big_negative_int.json",
    ]

    /// Whether the scan, the parser and the reader accept a text.
    private func outcome(of name: String) throws -> [Bool] {
        let bytes = try Fixture("JSONTestSuite/\(name)").bytes()
        var reader = JSONReader(bytes)
        let isRead = (try? reader.skip()) != nil && (try? reader.finish()) != nil
        return [
            (try? JSONScanner.validate(bytes.span)) != nil,
            (try? JSON(parsing: bytes)) != nil,
            isRead,
        ]
    }

    private static func texts(startingWith prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Fixture("JSONTestSuite").path)
            .filter { $0.hasSuffix(".json") && $0.hasPrefix(prefix) }
            .sorted()
    }
}

import DivanQuery
import Testing

@testable import DivanSQL

/// The table of functions serves C, the translation and the language alike.
@Suite struct FunctionTableTests {
    private let names = SQLFunction.all.map(\.name)

    @Test func `each function is in the table once`() {
        #expect(names.count > 80)
        #expect(Set(names).count == names.count)
    }

    /// `IFMISSING` is SQLite's `coalesce`.
    @Test(arguments: QueryFunction.allCases.filter { $0 != .ifMissing })
    func `a function of the language is in the table, with its numbers of arguments`(
        _ function: QueryFunction
    ) {
        #expect(names.contains(function.inSQL.name))
        // The translation of CONTAINS passes the collation.
        let more = function == .contains ? 1 : 0
        let counts = function.argumentCounts
        #expect(function.inSQL.argumentCounts.contains(counts.lowerBound + more))
        #expect(function.inSQL.argumentCounts.contains(counts.upperBound + more))
        if function.inSQL.argumentCounts.upperBound < Int.max {
            #expect(function.inSQL.argumentCounts.count == counts.count)
        }
    }

    @Test(arguments: SQLFunction.Name.allCases)
    func `a function that translations call is in the table`(_ name: SQLFunction.Name) {
        #expect(names.contains(name.rawValue))
    }

    @Test func `a connection has each function of the table in all versions, and no other`() throws
    {
        let rows = try Scratch().rows(
            "SELECT DISTINCT name FROM pragma_function_list"
                + " WHERE name LIKE 'divan\\_%' ESCAPE '\\' AND name <> 'divan_items1'"
        )
        let registered = Set(rows.map { String($0[0].dropFirst().dropLast()) })
        var expected: Set<String> = []
        for function in SQLFunction.all {
            for version in 1...function.version { expected.insert("\(function.name)\(version)") }
            expected.insert(function.stored)
        }
        #expect(registered.symmetricDifference(expected) == [])
    }

    @Test func `an index calls forms that never fail, in the current version`() {
        #expect(SQLFunction.named("divan_like").stored == "divan_stored_like1")
        #expect(SQLFunction.named("divan_like").current == "divan_like2")
        #expect(SQLFunction.named("divan_abs").stored == "divan_abs2")
        #expect(
            SQLSchemaText.renewed("divan_like1(divan_abs1(x))")
                == "divan_stored_like1(divan_abs2(x))"
        )
        #expect(SQLSchemaText.renewed("divan_stored_like1(divan_abs2(x))") == nil)
    }
}

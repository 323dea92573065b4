import DivanCheck
import Testing

@Suite struct DeclarationsCheckTests {
    @Test func `a declaration that no row names is found`() throws {
        let checkout = try Checkout()
        let facts = """
            ## 1. Query
            ```swift
            class Query { func execute() throws; var parameters: Int? }
            ```
            ## 4. QueryBuilder
            | type | members |
            |---|---|
            | `Join` | `join(A...)/([A]) -> Joins`, older `on(_ a: (B) -> C)` taking `name: String` |
            """
        try checkout.write("Docs/query/api.md", facts)
        let check = DeclarationsCheck(checkout.tree)
        #expect(try check.violations().isEmpty, "there is no page yet")
        let page = """
            | Type | Declarations | Test |
            |---|---|---|
            | `Query`, `Join` | `execute`, `join`, `name` | `parameters` |
            """
        try checkout.write("Docs/query-declarations.md", page)
        let missing = try check.violations().map {
            "\($0.place) \($0.problem.split(separator: " ").last ?? "")"
        }
        #expect(
            missing == [
                "Docs/query/api.md:3 parameters", "Docs/query/api.md:8 Joins",
                "Docs/query/api.md:8 on",
            ]
        )
    }
}

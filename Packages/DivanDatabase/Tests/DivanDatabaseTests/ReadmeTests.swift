import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("travel.cblite2")

        let store = try Store.open(directory: path)
        _ = try store.save("stay-1", in: .default, body: Array(#"{"city":"Ulm"}"#.utf8))
        let sql = "SELECT city FROM db WHERE city > 'T'"
        let catalogue = StoreCatalogue(store, named: "db")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let city = try store.rows(of: StorageQuery(statement)).next()
        try store.close()

        #expect(city == [.string("Ulm")])
    }
}

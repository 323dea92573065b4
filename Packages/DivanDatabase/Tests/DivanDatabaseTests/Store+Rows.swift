import DivanDatabase
import DivanJSON
import DivanQuery

extension Store {
    /// The rows of a query.
    func rows(of sql: String) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(self, named: "db")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let rows = try rows(of: StorageQuery(statement))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }
}

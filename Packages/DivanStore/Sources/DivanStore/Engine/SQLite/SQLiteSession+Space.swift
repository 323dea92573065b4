// Which pages belong to what, from SQLite's own table of them.
extension SQLiteSession {
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]? {
        // Not every build of SQLite has that table.
        let has = try statement("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")
        defer { has.reset() }
        guard try has.step() else { return nil }
        var counts: [CollectionID: Int] = [:]
        let list = try statement(
            """
            SELECT item.tbl_name, item.name, space.pgsize
            FROM dbstat AS space JOIN sqlite_schema AS item ON item.name = space.name
            WHERE space.aggregate = TRUE AND item.tbl_name GLOB 'docs_[0-9]*'
            """
        )
        defer { list.reset() }
        while try list.step() {
            let (table, name) = (list.text(0), list.text(1))
            guard let number = Int64(table.dropFirst(5).prefix { $0.isNumber }),
                name != "docs_\(number)"
            else { continue }
            counts[CollectionID(rawValue: number), default: 0] += Int(list.integer(2))
        }
        return counts
    }
}

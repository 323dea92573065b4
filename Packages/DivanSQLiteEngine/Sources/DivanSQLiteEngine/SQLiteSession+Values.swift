internal import DivanSQLite
internal import DivanStorage

// Values that a database stores under a key.
extension SQLiteSession {
    func value(_ key: String, in space: ValueSpace) throws(StoreError) -> [UInt8]? {
        let statement = try statement(
            #"SELECT value FROM "values" WHERE space = ? AND key = ?"#
        )
        defer { statement.reset() }
        try statement.bind(space.rawValue, at: 1)
        try statement.bind(key, at: 2)
        return try statement.step() ? statement.bytes(0) : nil
    }

    func values(in space: ValueSpace) throws(StoreError) -> [(key: String, value: [UInt8])] {
        try values(in: space, beginningWith: "")
    }

    func values(
        in space: ValueSpace,
        beginningWith prefix: String
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        let statement = try statement(
            #"SELECT key, value FROM "values" WHERE space = ? AND key >= ? ORDER BY key"#
        )
        defer { statement.reset() }
        try statement.bind(space.rawValue, at: 1)
        try statement.bind(prefix, at: 2)
        var values: [(key: String, value: [UInt8])] = []
        while try statement.step() {
            let key = statement.text(0)
            guard key.utf8.starts(with: prefix.utf8) else { break }
            values.append((key, statement.bytes(1)))
        }
        return values
    }
}

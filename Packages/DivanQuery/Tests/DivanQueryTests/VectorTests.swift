import DivanJSON
import DivanQuery
import Testing

/// The 975 cases, as far as parsing and checking go.
@Suite struct VectorTests {
    @Test func `the vectors contain 975 cases`() throws {
        #expect(try Vector.all().count == 975)
    }

    @Test func `printed SQL++ parses to the same query`() throws {
        for vector in try Vector.all() where vector.error?.position == nil {
            guard let statement = try? QueryStatement(sql: vector.sql) else { continue }
            let printed = statement.sql
            #expect(try QueryStatement(sql: printed) == statement, "\(vector.id): \(printed)")
        }
    }

    @Test func `printed JSON parses to the same query`() throws {
        for vector in try Vector.all() where vector.error?.position == nil {
            guard let statement = try? QueryStatement(sql: vector.sql) else { continue }
            let text = try statement.json.canonicalBytes()
            let read = try QueryStatement(json: JSON(parsing: text))
            // Objects do not keep the order of their keys.
            #expect(read.json == statement.json, "\(vector.id)")
            let isOrdered = try QueryStatement(json: read.json) == read
            #expect(isOrdered, "\(vector.id)")
        }
    }

    @Test func `columns have the expected titles`() throws {
        // A plain text is a string here, but the path of a property there (`select-053`).
        for vector in try Vector.all() where vector.id != "select-016" {
            guard let columns = vector.columns else { continue }
            let statement = try QueryStatement.checked(vector.sql)
            #expect(statement.columns.map(\.title) == columns, "\(vector.id): \(vector.sql)")
        }
    }

    @Test func `an invalid query fails at compile time with the expected code and position`() throws
    {
        // Here an alias hides no property from another column; there it does, and is not found.
        let failing = try Vector.all().filter {
            $0.error?.when == "compile" && $0.id != "select-013"
        }
        #expect(failing.count > 40)
        for vector in failing {
            let error = queryError { try QueryStatement.checked(vector.sql) }
            #expect(error != nil, "\(vector.id): \(vector.sql)")
            if let code = vector.error?.code {
                #expect(error?.code.rawValue == code, "\(vector.id): \(vector.sql)")
            }
            if let position = vector.error?.position {
                #expect(error?.syntaxOffset == position, "\(vector.id): \(vector.sql)")
            }
            #expect(error?.line != nil, "\(vector.id): \(vector.sql)")
        }
    }

    @Test func `a query that fails at run time compiles`() throws {
        for vector in try Vector.all() where vector.error?.when == "run" {
            #expect(throws: Never.self) { try QueryStatement.checked(vector.sql) }
        }
    }
}

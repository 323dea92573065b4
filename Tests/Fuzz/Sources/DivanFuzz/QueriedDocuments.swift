import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions

/// Any condition can be evaluated on any document: SQLite accepts its translation, the answer is
/// that of the condition printed and parsed again, and never that of its negation.
///
/// An input is a condition in SQL++, a zero byte, and the JSON of a document.
enum QueriedDocuments: FuzzTarget {
    static let name = "query-document"

    private static let document = DocumentID(unchecked: "d")

    static func violation(of input: [UInt8]) -> String? {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, case .object(let members)? = try? JSON(parsing: Array(parts[1])),
            let body = try? JSON.object(members).canonicalBytes()
        else { return nil }
        let text = String(decoding: parts[0], as: UTF8.self)
        guard let expression = try? QueryExpression(sql: text) else { return nil }
        do {
            let answer = try answer(expression, body)
            let printed = expression.sql
            if let again = try? QueryExpression(sql: printed),
                try self.answer(again, body) != answer
            {
                return "another answer when printed: \(printed)"
            }
            if answer == .yes, try self.answer(QueryExpression(.not(expression)), body) == .yes {
                return "true as its opposite is: \(printed)"
            }
            return nil
        } catch let error as QueryError {
            return error.description.isEmpty ? "an error without a word" : nil
        } catch {
            return "SQLite does not take it: \(error)"
        }
    }

    private enum Answer {
        case yes
        case no
        /// As with an invalid regular expression.
        case failed
    }

    private static func answer(
        _ expression: QueryExpression,
        _ body: [UInt8]
    ) throws -> Answer {
        let condition = try BodyCondition(expression)
        guard let holds = try? condition.holds(of: document, body: body) else { return .failed }
        return holds ? .yes : .no
    }

    static func seeds() throws -> [[UInt8]] {
        let documents = [
            #"{"a":1,"b":[1,"x",null,{"c":true}],"name":"Oslo","price":3.5}"#,
            #"{"a":null,"b":{"c":[]},"name":"","price":"12ab"}"#, "{}",
        ]
        let conditions = [
            "a = 1", "NOT (a < 2 OR b IS MISSING)", "ANY v IN b SATISFIES v.c = TRUE END",
            "EVERY v IN b SATISFIES v > 0 END", "name LIKE 'O%' AND price BETWEEN 1 AND 4",
            "REGEXP_LIKE(name, '^[a-zO]+$')", "LOWER(name) || 'x' = 'oslox'", "a IN (1, 'x', NULL)",
            "CASE WHEN a = 1 THEN TRUE ELSE b[0] END", "META().id = 'd'", "b[-1].c COLLATE NOCASE",
            "ARRAY_LENGTH(b) % 2 = 0", "name COLLATE (UNICODE NOCASE NODIACRITIC) = 'OSLO'",
            "{'x': a, 'y': [b]}.y[0] IS VALUED", "STR_TO_MILLIS(name) IS NULL",
            "-price + 2 > DIV(a, 0)",
            "TOSTRING(a) = '1'", "b[0] = 1 AND b[1] != b[2]", "NOT META().deleted",
        ]
        return conditions.flatMap { condition in
            documents.map { Array(condition.utf8) + [0] + Array($0.utf8) }
        }
    }
}

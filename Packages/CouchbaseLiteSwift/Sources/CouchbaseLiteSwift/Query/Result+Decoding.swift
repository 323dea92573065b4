import DivanJSON
import Foundation

extension Result {
    /// Decodes the row; the type's keys are the column names.
    ///
    /// - Parameters:
    ///   - type: The type to decode. A property marked with `@DocumentID` is read from the column with its name.
    ///   - dataKey: A column with a dictionary that contains the keys that are not columns: `"notes"` for
    ///     `SELECT META().id, * FROM notes`.
    /// - Returns: The row as that type.
    /// - Throws: `CBLError.invalidQuery` if a column is missing; `decodingError` if a column's value does not match the
    ///   type.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        var members: [JSONObject.Member] = []
        if let dataKey, let index = columns.index(of: dataKey),
            case .object(let data) = json(at: index)
        {
            members += data.map { ($0.key, $0.value) }
        }
        for (index, title) in columns.titles.enumerated() {
            if let json = json(at: index) { members.append((title.text, json)) }
        }
        do {
            return try ModelDecoder.decode(type, fromRow: JSONObject(members), in: database)
        } catch DecodingError.keyNotFound(let key, let context) where context.codingPath.isEmpty {
            throw NSError(CBLError.invalidQuery, "Query is missing field '\(key.stringValue)'")
        } catch let error as DecodingError {
            throw NSError(
                CBLError.decodingError,
                "the row cannot be decoded as \(T.self): \(error)",
                cause: error
            )
        }
    }
}

extension ResultSet {
    /// Decodes the remaining rows; see ``Result/data(as:dataKey:)``.
    ///
    /// - Throws: The same errors as ``Result/data(as:dataKey:)`` for the first row that does not match. The rows after
    ///   it are not read.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> [T] {
        var models: [T] = []
        while let result = next() { models.append(try result.data(as: type, dataKey: dataKey)) }
        return models
    }
}

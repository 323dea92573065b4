import DivanJSON
import DivanQuery
import DivanStore
import Foundation

extension Collection {
    /// A filter that passes the documents that meet a condition in SQL++.
    ///
    /// ```swift
    /// let user = Parameters().setString("ada", forName: "user")
    /// configuration.pushFilter = try Collection.filter(where: "owner = $user", parameters: user)
    /// ```
    ///
    /// The same condition on both sides, or in a query, selects the same documents. It may use the body, `META().id`
    /// and `META().deleted`. A deletion passes, because it has no body to test and must reach everyone who has the
    /// document, unless the condition mentions `META().deleted` and decides itself. A document that may no longer be
    /// read always passes. If the condition fails with an error, as a regular expression may, the document does not
    /// pass, and the log says so. An addition to the official API.
    ///
    /// - Parameters:
    ///   - condition: An expression, and nothing else.
    ///   - parameters: A value for each of its parameters, copied now.
    /// - Returns: A filter for any collection and either direction, for any thread.
    /// - Throws: `CBLError.invalidQuery` with the position in the text; `invalidQueryParam` for a parameter without a
    ///   value, or a value without a parameter.
    public static func filter(
        where condition: String,
        parameters: Parameters? = nil
    ) throws -> ReplicationFilter {
        let test = try translatingErrors {
            let values = try parameters?.bound() ?? [:]
            let test = try BodyCondition(sql: condition, parameters: values)
            for name in values.keys.sorted() where !test.parameterNames.contains(name) {
                throw QueryError(
                    "Unknown query property '\(name)': the condition has no parameter of that name",
                    code: .invalidQueryParameter
                )
            }
            return test
        }
        return filter(test)
    }

    /// A filter that passes the documents of a model that meet a condition.
    ///
    /// ```swift
    /// configuration.pushFilter = try Collection.filter(where: \Note.owner == "ada")
    /// ```
    ///
    /// - Returns: As ``filter(where:parameters:)``.
    /// - Throws: `CBLError.invalidParameter` for a key path or value that a query cannot use.
    public static func filter<Model: Decodable>(
        where condition: DocumentCondition<Model>
    ) throws -> ReplicationFilter {
        let test = try translatingErrors {
            try BodyCondition(condition.tree.get(), alias: DocumentProperty.source)
        }
        return filter(test)
    }

    private static func filter(_ test: BodyCondition) -> ReplicationFilter {
        { document, flags in
            if flags.contains(.accessRemoved) { return true }
            let isDeleted = flags.contains(.deleted)
            if isDeleted, !test.asksAboutDeleted { return true }
            do {
                return try test.holds(
                    of: document.name,
                    body: document.body.bytes,
                    isDeleted: isDeleted
                )
            } catch {
                Journal.query.warning(
                    "Filter: document \(document.id) is excluded, because its condition failed: "
                        + "\(error)"
                )
                return false
            }
        }
    }
}

import DivanJSON
import DivanQuery
import DivanStore
import Foundation

extension Collection {
    /// A filter that lets the documents pass that meet a condition in SQL++.
    ///
    /// ```swift
    /// let user = Parameters().setString("ada", forName: "user")
    /// configuration.pushFilter = try Collection.filter(where: "owner = $user", parameters: user)
    /// ```
    ///
    /// The same condition on both sides, or in a query, means the same documents. It may ask for
    /// the body, `META().id` and `META().deleted`. A deletion passes, because it has no body to be
    /// judged by and must reach whoever has the document, unless the condition speaks of
    /// `META().deleted` and decides itself; so does a document that may no longer be read. A condition that fails for a document, as a regular expression may, lets it not pass,
    /// and the log says so. An addition to the official API.
    ///
    /// - Parameters:
    ///   - condition: An expression; nothing else can stand in it.
    ///   - parameters: A value for each of its parameters, taken over now.
    /// - Returns: A filter for any collection and either direction, for any thread.
    /// - Throws: `CBLError.invalidQuery` with the place in the text; `invalidQueryParam` for a
    ///   parameter without value, and a value without parameter.
    public static func filter(
        where condition: String,
        parameters: Parameters? = nil
    ) throws -> ReplicationFilter {
        let values = parameters?.bound ?? [:]
        let test = try translatingErrors {
            let test = try BodyCondition(sql: condition, parameters: values)
            for name in values.keys.sorted() where !test.parameterNames.contains(name) {
                throw QueryError(
                    "Unknown query property '\(name)': the condition has no such parameter",
                    code: .invalidQueryParameter
                )
            }
            return test
        }
        return filter(test)
    }

    /// A filter that lets the documents of a model pass that meet a condition.
    ///
    /// ```swift
    /// configuration.pushFilter = try Collection.filter(where: \Note.owner == "ada")
    /// ```
    ///
    /// - Returns: As ``filter(where:parameters:)``.
    /// - Throws: `CBLError.invalidParameter` for a key path or value that no query can ask for.
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
                Journal.query.warning("Filter: document \(document.id) does not pass: \(error)")
                return false
            }
        }
    }
}

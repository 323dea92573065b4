import DivanDatabase
import DivanJSON
import DivanLog
import DivanQuery
import DivanReplicator
import DivanRevisions
import Foundation

extension Collection {
    /// Returns a filter for documents that meet a condition in SQL++.
    ///
    /// ```swift
    /// let user = Parameters().setString("ada", forName: "user")
    /// configuration.pushFilter = try Collection.filter(where: "owner = $user", parameters: user)
    /// ```
    ///
    /// The same condition in a query selects the same documents. It can use the body, `META().id` and `META().deleted`.
    /// Deletions always pass, because they have no body and must reach every peer that has the document, unless the
    /// condition mentions `META().deleted`. Documents that the user can no longer read always pass. If evaluating the
    /// condition fails, for example because of an invalid regular expression, the document does not pass, and a warning
    /// is logged. An addition to the official API.
    ///
    /// - Parameters:
    ///   - condition: An SQL++ expression.
    ///   - parameters: A value for each parameter of the condition; copied.
    /// - Returns: A filter for any collection, push or pull, and any thread.
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

    /// Returns a filter for documents of a model that meet a condition.
    ///
    /// ```swift
    /// configuration.pushFilter = try Collection.filter(where: \Note.owner == "ada")
    /// ```
    ///
    /// - Returns: The same as ``filter(where:parameters:)``.
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
            return test.selects(document.name, document.body.bytes, isDeleted: isDeleted)
        }
    }

    /// Returns the filter for a peer's subscription, which all deletions pass.
    static func interest(in condition: String) throws -> DocumentFilter {
        let test = try BodyCondition(sql: condition)
        return { revision in
            revision.flags.contains(.deleted) || test.selects(revision.documentID, revision.body)
        }
    }
}

extension BodyCondition {
    /// Whether a document meets the condition; false with a warning if that cannot be determined.
    fileprivate func selects(_ id: StoredID, _ body: [UInt8], isDeleted: Bool = false) -> Bool {
        do {
            return try holds(of: id, body: body, isDeleted: isDeleted)
        } catch {
            Journal.query.warning(
                "Filter: document \(user: id.text) is excluded, because its condition failed: \(error)"
            )
            return false
        }
    }
}

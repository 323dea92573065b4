import Divan
import DivanCommandLine

/// Whether a new index has anything to find: another collection or property is easily meant.
struct IndexedDocuments {
    private let collection: Divan.Collection
    private let arguments: Arguments

    init(_ collection: Divan.Collection, _ arguments: Arguments) {
        self.collection = collection
        self.arguments = arguments
    }

    /// Warns if no document has a value for any of the expressions.
    func warnIfNone(have expressions: [String], _ terminal: Terminal) {
        let name = collection.qualifiedName
        if collection.count == 0 {
            terminal.note("divan: warning: \(name) has no documents\(elsewhere(orAnywhere: true))")
        } else if !isAnyIndexed(by: expressions) {
            let list = expressions.joined(separator: ", ")
            terminal.note(
                "divan: warning: no document of \(name) has a value for \(list)"
                    + elsewhere(orAnywhere: false)
            )
        }
    }

    private func isAnyIndexed(by expressions: [String]) -> Bool {
        let name = collection.qualifiedName
        let source = name == .default ? "_" : "`\(name.scope)`.`\(name.name)`"
        let condition = expressions.map { "(\($0)) IS NOT MISSING" }.joined(separator: " OR ")
        let text = "SELECT META().id FROM \(source) WHERE \(condition) LIMIT 1"
        guard let rows = try? collection.database.createQuery(text).execute() else { return true }
        return !rows.allResults().isEmpty
    }

    /// The option for the collection that was probably meant: one that is called as the index is, or any that
    /// has documents.
    private func elsewhere(orAnywhere: Bool) -> String {
        guard !arguments.has("--collection") else { return "" }
        let others = ((try? collection.database.allCollections()) ?? []).filter { $0.count > 0 }
        let index = arguments.operands[1]
        let meant = others.first { "\($0.qualifiedName)" == index || $0.name == index }
        guard let other = meant ?? (orAnywhere ? others.first : nil) else { return "" }
        return "; to index \(other.qualifiedName) add -c \(other.qualifiedName)"
    }
}

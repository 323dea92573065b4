import DivanJSON

extension Sequence<String> {
    /// The same texts in the same order, each once; compared by bytes.
    var withoutRepetitions: [String] {
        var known: Set<ExactText> = []
        return filter { known.insert(ExactText($0)).inserted }
    }
}

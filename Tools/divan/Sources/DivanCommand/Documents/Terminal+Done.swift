import DivanCommandLine
import DivanJSON

extension Terminal {
    /// Tells what a verb did that prints nothing else: a sentence for people, an object for machines.
    func done(_ sentence: String, _ members: JSONObject) {
        guard isJSON else { return note(sentence) }
        result(JSON.object(members).canonicalText)
    }
}

import DivanCommandLine
import DivanJSON
import DivanPlatform

extension Terminal {
    /// Reports what a command did that prints nothing else: a sentence for people, a single line whatever the
    /// names in it are, and an object for machines.
    func done(_ sentence: String, _ members: JSONObject) {
        guard isJSON else { return note(sentence.escapingControlCharacters()) }
        result(JSON.object(members).canonicalText)
    }

    /// Reports the same if standard output has documents, or would have something else: machines find the
    /// object on standard error.
    func done(besideResults sentence: String, _ members: JSONObject) {
        guard isJSON else { return note(sentence.escapingControlCharacters()) }
        write(JSON.object(members).canonicalText + "\n", to: .standardError)
    }

    /// Reports why something was left out: a line for people, an object for machines, both on standard error.
    func report(problem sentence: String) {
        guard isJSON else { return note("divan: \(sentence)".escapingControlCharacters()) }
        write(JSON.object(["problem": .string(sentence)]).canonicalText + "\n", to: .standardError)
    }

    /// Reports the result of `--dry-run`: "Would purge 3 documents", and what the command itself would report
    /// to a machine.
    func rehearsed(_ deed: String, _ members: JSONObject) {
        var members = members
        members["dryRun"] = true
        done("Would \(deed)", members)
    }
}

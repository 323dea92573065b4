import DivanCheck
import Foundation

/// Checks the checkout in the current directory; prints what is wrong and exits with 1.
///
/// With the argument `states` it redraws the pages of the state machines; with the names of checks it runs only
/// these.
let tree = SourceTree(root: FileManager.default.currentDirectoryPath)
if CommandLine.arguments.dropFirst() == ["states"] {
    let unreadable = try StatesCheck(tree).write()
    for violation in unreadable { print(violation) }
    exit(unreadable.isEmpty ? 0 : 1)
}
let checks: [(name: String, run: () throws -> [Violation])] = [
    ("arrows", ArrowsCheck(tree).violations),
    ("platform", PlatformCheck(tree).violations),
    ("manifests", ManifestsCheck(tree).violations),
    ("lengths", LengthCheck(tree).violations),
    ("words", WordsCheck(tree).violations),
    ("glossary", GlossaryCheck(tree).violations),
    ("language", LanguageCheck(tree).violations),
    ("keys", { try KeysCheck(tree).violations() }),
    ("traps", TrapsCheck(tree).violations),
    ("closures", ClosuresCheck(tree).violations),
    ("clocks", ClocksCheck(tree).violations),
    ("proofs", ProofsCheck(tree).violations),
    ("pages", PagesCheck(tree).violations),
    ("limits", LimitsCheck(tree).violations),
    ("names", NamesCheck(tree).violations),
    ("citations", CitationsCheck(tree).violations),
    ("readmes", ReadmesCheck(tree).violations),
    ("guides", GuidesCheck(tree).violations),
    ("scripts", ScriptsCheck(tree).violations),
    ("headers", HeadersCheck(tree).violations),
    ("codes", CodesCheck(tree).violations),
    ("states", StatesCheck(tree).violations),
    ("answers", AnswersCheck(tree).violations),
    ("thresholds", ThresholdsCheck(tree).violations),
]
let names = CommandLine.arguments.dropFirst()
var count = 0
for check in checks where names.isEmpty || names.contains(check.name) {
    do {
        let violations = try check.run()
        for violation in violations { print("\(check.name): \(violation)") }
        print("\(check.name): \(violations.isEmpty ? "ok" : "found \(violations.count)")")
        count += violations.count
    } catch {
        print("\(check.name): could not run: \(error)")
        count += 1
    }
}
if let report = try? LengthCheck(tree).report() { print(report) }
exit(count == 0 ? 0 : 1)

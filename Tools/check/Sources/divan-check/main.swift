import DivanCheck
import Foundation

/// Checks the checkout in the current directory; prints what is wrong and exits with 1.
///
/// With the names of rules it runs only these; with the argument `generate` it writes the generated files.
let tree = SourceTree(root: FileManager.default.currentDirectoryPath)
let names = CommandLine.arguments.dropFirst()
if names == ["generate"] {
    try tree.generate()
    exit(0)
}
var count = 0
for rule in Rule.all where names.isEmpty || names.contains(rule.name) {
    do {
        let violations = try rule.violations(tree)
        for violation in violations { print("\(rule.name): \(violation)") }
        print("\(rule.name): \(violations.isEmpty ? "ok" : "found \(violations.count)")")
        count += violations.count
    } catch {
        print("\(rule.name): could not run: \(error)")
        count += 1
    }
}
if names.isEmpty { for hint in try Lengths(tree).hints() { print("hint: \(hint)") } }
exit(count == 0 ? 0 : 1)

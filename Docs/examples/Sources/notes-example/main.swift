import Foundation

/// Reads commands from standard input: add TEXT, done ID, rm ID, list, quit.
guard CommandLine.arguments.count == 2 else {
    print("Usage: notes-example DIRECTORY")
    exit(2)
}

/// Stores notes until the input ends.
func run(_ directory: String) throws {
    let notebook = try Notebook(directory: directory)
    notebook.tellChanges { print($0) }
    reading: while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "add": _ = try notebook.add(rest)
        case "done": if try !notebook.finish(rest) { print("no note \(rest)") }
        case "rm": if try !notebook.remove(rest) { print("no note \(rest)") }
        case "list": for line in try notebook.lines() { print(line) }
        case "quit": break reading
        default: print("add TEXT, done ID, rm ID, list, quit")
        }
        notebook.settle()
    }
    try notebook.close()
}

do {
    try run(CommandLine.arguments[1])
} catch {
    // An uncaught error would end the program with a crash report.
    print(error.localizedDescription)
    exit(1)
}

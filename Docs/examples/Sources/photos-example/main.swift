import Foundation

/// Stores photos: add FILE…, show NAME, export NAME FILE, rm NAME.
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count >= 3 else {
    print("Usage: photos-example DIRECTORY add FILE… | show NAME | export NAME FILE | rm NAME")
    exit(2)
}

/// Runs the command; returns whether the photo exists.
func run(_ words: [String]) throws -> Bool {
    let album = try Album(directory: words[0])
    var isDone = true
    switch (words[1], words.count) {
    case ("add", _):
        for file in words[2...] { print(try album.add(URL(fileURLWithPath: file))) }
    case ("show", 3):
        let description = try album.describe(words[2])
        isDone = description != nil
        if let description { print(description) }
    case ("export", 4):
        isDone = try album.export(words[2], to: URL(fileURLWithPath: words[3]))
    case ("rm", 3):
        isDone = try album.remove(words[2])
    default:
        print("Usage: photos-example DIRECTORY add FILE… | show NAME | export NAME FILE | rm NAME")
        exit(2)
    }
    if !isDone { print("no photo \(words[2])") }
    try album.close()
    return isDone
}

do {
    exit(try run(words) ? 0 : 1)
} catch {
    // An uncaught error would end the program with a crash report.
    print(error.localizedDescription)
    exit(1)
}

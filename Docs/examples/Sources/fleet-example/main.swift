import Divan
import Foundation

/// A robot; other programs can add properties to its document, which this one keeps.
struct Robot: Codable, Identifiable, Sendable {
    struct Position: Codable, Sendable { var x = 0, y = 0 }

    var id: String
    var position = Position()
    var battery = 1.0
    var tasks: [String] = []

    var summary: String {
        let work = tasks.isEmpty ? "idle" : tasks.joined(separator: ", ")
        return "\(id) at \(position.x),\(position.y), \(Int((battery * 100).rounded())) %, \(work)"
    }
}

/// Stores robots: add NAME, show NAME, move NAME X Y, task NAME TASK, race NAME, retire NAME.
func run(_ words: [String]) throws {
    let db = try Database.open("fleet", in: URL(filePath: words[0]))
    defer { try? db.close() }
    let robots = try db.collection("fleet.robots")
    let name = words[2]
    switch words[1] {
    case "add":
        // `nil` means that the robot must not exist yet.
        try robots.save(Document(id: name, encoding: Robot(id: name)), ifRevision: nil)
    case "move" where words.count == 5:
        try robots.update(name, as: Robot.self) { robot in
            robot.position = Robot.Position(x: Int(words[3]) ?? 0, y: Int(words[4]) ?? 0)
            robot.battery -= 0.05
        }
    case "task" where words.count == 4:
        try robots.update(name, as: Robot.self) { $0.tasks.append(words[3]) }
    case "race":
        // Two parts of a program change the same robot at once. Both changes are kept.
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            _ = try? robots.update(name, as: Robot.self) { $0.tasks.append("job \(number)") }
        }
    case "retire": try robots.delete(name)
    default: break
    }
    print(try robots.get(name, as: Robot.self)?.summary ?? "no robot \(name)")
}

let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count >= 3 else {
    print("Usage: fleet-example DIRECTORY add|show|move|task|race|retire NAME [X Y | TASK]")
    exit(2)
}
do {
    try run(words)
} catch {
    print(error)
    exit(1)
}

import Foundation

/// Stores robots: add NAME, show NAME, move NAME X Y, task NAME TASK, race NAME, retire NAME.
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count >= 3 else {
    print("Usage: fleet-example DIRECTORY add|show|move|task|race|retire NAME [X Y | TASK]")
    exit(2)
}

/// Runs the command; returns the exit code.
func run(_ words: [String]) throws -> Int32 {
    let fleet = try Fleet(directory: words[0])
    let name = words[2]
    if words[1] == "add" {
        let robot = try fleet.add(name)
        print(robot?.summary ?? "there is a robot \(name) already")
        try fleet.close()
        return robot == nil ? 1 : 0
    }
    guard let robot = try fleet.robot(name) else {
        print("no robot \(name)")
        return 1
    }
    switch words[1] {
    case "move" where words.count == 5:
        guard let x = Int(words[3]), let y = Int(words[4]) else {
            print("X and Y are whole numbers")
            return 2
        }
        robot.position = Robot.Position(x: x, y: y)
        robot.battery -= 0.05
        _ = try fleet.save(robot)
    case "task" where words.count == 4:
        robot.tasks.append(words[3])
        _ = try fleet.save(robot)
    case "race":
        // Two parts of a program have read the same robot. Both change it and save it.
        guard let other = try fleet.robot(name) else { break }
        other.tasks.append("charge")
        _ = try fleet.save(other)
        robot.tasks.append("report")
        print(try fleet.save(robot) ? "both changes are kept" : "the robot was deleted")
    case "retire":
        try fleet.retire(robot)
    default: break
    }
    print(try fleet.robot(name)?.summary ?? "\(name) is retired")
    try fleet.close()
    return 0
}

do {
    exit(try run(words))
} catch {
    // An uncaught error would end the program with a crash report.
    print(error.localizedDescription)
    exit(1)
}

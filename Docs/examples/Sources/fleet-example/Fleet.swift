import Divan
import Foundation

/// Robots in a collection.
struct Fleet {
    private let database: Database
    private let robots: Collection

    init(directory: String) throws {
        var config = DatabaseConfiguration()
        config.directory = directory
        database = try Database(name: "fleet", config: config)
        robots = try database.createCollection(name: "robots", scope: "fleet")
    }

    /// Saves a new robot; `nil` when the name is taken.
    func add(_ name: String) throws -> Robot? {
        let robot = Robot(id: name)
        var isNew = false
        try database.inBatch {
            // A model stands for the document of its ID: to save it would replace the robot that is there.
            isNew = try robots.document(id: name) == nil
            if isNew { try robots.save(from: robot) }
        }
        return isNew ? robot : nil
    }

    /// Reads a robot.
    func robot(_ name: String) throws -> Robot? {
        try robots.document(id: name, as: Robot.self)
    }

    /// Saves a robot; when somebody else has saved it meanwhile, the tasks of both are kept.
    func save(_ robot: Robot) throws -> Bool {
        robot.lastSeen = Date()
        return try robots.save(from: robot) { (mine: Robot, theirs: Robot?) in
            // Deleted in between: let it be gone.
            guard let theirs else { return false }
            mine.tasks = theirs.tasks + mine.tasks.filter { !theirs.tasks.contains($0) }
            mine.battery = min(mine.battery, theirs.battery)
            return true
        }
    }

    /// Deletes a robot.
    func retire(_ robot: Robot) throws {
        try robots.delete(for: robot)
    }

    func close() throws {
        try database.close()
    }
}

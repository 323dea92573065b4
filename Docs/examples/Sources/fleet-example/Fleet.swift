import CouchbaseLiteSwift
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

    /// Saves a new robot; `nil` if the name is already used.
    func add(_ name: String) throws -> Robot? {
        let robot = Robot(id: name)
        var isNew = false
        try database.inBatch {
            // A model represents the document with its ID: saving it would replace an existing robot.
            isNew = try robots.document(id: name) == nil
            if isNew { try robots.save(from: robot) }
        }
        return isNew ? robot : nil
    }

    /// Reads a robot.
    func robot(_ name: String) throws -> Robot? {
        try robots.document(id: name, as: Robot.self)
    }

    /// Saves a robot; if it was saved elsewhere in the meantime, the tasks of both are kept.
    func save(_ robot: Robot) throws -> Bool {
        robot.lastSeen = Date()
        return try robots.save(from: robot) { (mine: Robot, theirs: Robot?) in
            // It was deleted in the meantime, and stays deleted.
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

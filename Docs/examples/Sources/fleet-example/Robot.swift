import CouchbaseLiteSwift
import Foundation

/// A robot as the program sees it; the document has the same members.
final class Robot: Codable {
    /// The document's ID; it also stores the revision that this object was read from.
    @DocumentID var id: String?
    var position: Position
    var battery: Double
    var tasks: [String]
    var lastSeen: Date?

    struct Position: Codable, Equatable {
        var x: Int
        var y: Int
    }

    init(id: String) {
        position = Position(x: 0, y: 0)
        battery = 1
        tasks = []
        self.id = id
    }

    /// The robot in one line.
    var summary: String {
        let work = tasks.isEmpty ? "idle" : tasks.joined(separator: ", ")
        let charge = Int((battery * 100).rounded())
        return "\(id ?? "?") at \(position.x),\(position.y), \(charge) %, \(work)"
    }
}

import Divan
import Foundation
func f(_ notes: DocumentCollection, _ id: UUID) throws {
    let d: Document = try notes.update(id) { $0.note = nil }
    _ = d
    try notes.update(id) { (d: inout Document) in d.note = nil }
}
func g(_ notes: DocumentCollection, _ id: UUID) throws {
    try notes.update(id) { $0.title = "x" }
}
func h(_ notes: DocumentCollection, _ ids: [UUID]) throws {
    _ = try ids.map(notes.get)
}
func s(_ notes: DocumentCollection, _ ids: [String]) throws {
    _ = try ids.map { try notes.get($0) }
    _ = try ids.map(notes.contains)
    try ids.forEach { try notes.delete($0) }
}

import CouchbaseLiteSwift

func shrink(_ fleet: Database) throws {
    let positions = try fleet.defaultCollection()
    guard try positions.bodyCompression() == .none else { return }
    try positions.setBodyCompression(.lz4)
    // Compresses existing bodies; new ones are compressed when they are saved.
    try fleet.performMaintenance(type: .compact)
}

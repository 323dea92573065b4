import Divan

func shrink(_ fleet: Database) throws {
    let positions = try fleet.defaultCollection()
    guard try positions.bodyCompression() == .none else { return }
    try positions.setBodyCompression(.lz4)
    // Bodies that are there; those to come need no more.
    try fleet.performMaintenance(type: .compact)
}

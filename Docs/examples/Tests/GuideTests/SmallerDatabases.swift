import Divan

func shrink(_ positions: DocumentCollection) throws {
    guard try positions.bodyCodec == "none" else { return }
    try positions.compressBodies(with: "lz4")
    // Compresses existing bodies; new ones are compressed when they are saved.
    try positions.database.compact()
}

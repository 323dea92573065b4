internal import DivanSQLite

/// Everything that a storage engine may be able to do.
extension SQLiteSession: StorageSpace, VectorReading, DamageReading, SQLIndexing, VectorWriting,
    StoragePacking, DamageRepair, StorageFileTransaction
{
    var space: (any StorageSpace)? { self }
    var vectors: (any VectorReading)? { self }
    var damage: any DamageReading { self }
    var indexing: (any SQLIndexing)? { self }
    var vectorWriting: (any VectorWriting)? { self }
    var packing: (any StoragePacking)? { self }
    var repair: (any DamageRepair)? { self }
    var file: (any StorageFileTransaction)? { self }

    var undoing: StoreError? { connection.undoing }
}

internal import DivanSQLite
internal import DivanStorage

/// Everything that a storage engine may be able to do.
extension SQLiteSession: SnapshotQuerying, StorageSpace, VectorReading, DamageReading, SQLIndexing,
    VectorWriting,
    StoragePacking, DamageRepair, StorageFormatWriting
{
    var querying: (any SnapshotQuerying)? { self }
    var space: (any StorageSpace)? { self }
    var vectorReading: (any VectorReading)? { self }
    var damageReading: any DamageReading { self }
    var sqlIndexing: (any SQLIndexing)? { self }
    var vectorWriting: (any VectorWriting)? { self }
    var packing: (any StoragePacking)? { self }
    var damageRepair: (any DamageRepair)? { self }
    var formatWriting: (any StorageFormatWriting)? { self }

    var undoing: StoreError? { connection.undoing }
}

// Programs that use databases also use their stores: documents, blobs and checkpoints.
@_exported public import DivanStore

// What concerns conditions and plans.
@_exported public import class DivanSQLiteEngine.BodyCondition
@_exported public import struct DivanSQLiteEngine.HypotheticalIndex
@_exported public import struct DivanSQLiteEngine.QueryVisibility
@_exported public import enum DivanSQLiteEngine.SQLiteFile

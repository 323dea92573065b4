// Programs that use databases also use the seam's values: collections, errors, queries and engines.
@_exported public import DivanStorage

// Engines for databases in memory and for simulations, and what concerns conditions and plans.
@_exported public import class DivanMemoryEngine.MemoryEngine
@_exported public import class DivanSQLiteEngine.BodyCondition
@_exported public import struct DivanSQLiteEngine.HypotheticalIndex
@_exported public import struct DivanSQLiteEngine.QueryVisibility
@_exported public import enum DivanSQLiteEngine.SQLiteFile

// Programs that use stores also use the seam's values: collections, errors, queries and engines.
@_exported public import DivanStorage

// The engine of stores in memory, also for simulations.
@_exported public import class DivanMemoryEngine.MemoryEngine

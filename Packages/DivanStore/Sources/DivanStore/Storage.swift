// Programs that use databases also use the seam's values: collections, errors, queries and engines.
@_exported public import DivanStorage

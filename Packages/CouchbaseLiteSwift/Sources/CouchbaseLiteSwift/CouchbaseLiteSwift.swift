/// Everything in `Divan`, under the module name of the official SDK, so that code written for it compiles on Linux
/// unchanged.
@_exported public import Divan

/// The former name of an ordering.
@available(*, deprecated, renamed: "QuerySortOrder")
public typealias SortOrder = QuerySortOrder

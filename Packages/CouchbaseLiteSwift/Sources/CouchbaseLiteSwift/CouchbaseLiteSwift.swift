/// Everything that `import Divan` gives, under the module name of the official SDK, so that code
/// written for it compiles on Linux without an edit.
@_exported public import Divan

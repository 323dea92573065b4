import DivanPlatform

/// This process's environment variables, for tests that run in parallel to others.
///
/// `setenv` frees the list while another thread may be reading it, as every name lookup and every new program does,
/// and the process then ends with signal 11. These functions replace the list, and never free an old one.
public enum TestEnvironment {
    /// Sets a variable, or removes it.
    public static func set(_ name: String, _ value: String?) {
        CurrentProcess.setVariable(name, value)
    }
}

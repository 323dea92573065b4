import Glibc

/// Lowers this process's limit of open files.
func limitDescriptors(to count: Int) {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// How many descriptors this process has open.
func descriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// Whether, within ten seconds, no more than `count` descriptors are open.
///
/// Ends of streams may still be under way; the wait gives other work its turn again and again.
func descriptorsFall(to count: Int) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
        if (0...count).contains(descriptorCount()) { return true }
        await Task.yield()
    }
    return false
}

/** Connections beside the pool's: four for searches, three for superusers, the rest for people. */
const OTHER_CONNECTIONS = 17;

/**
 * The settings that Parley starts PostgreSQL with. They override `postgresql.conf`, where an operator may
 * set all others.
 */
export function serverSettings(connections: number): Readonly<Record<string, string>> {
  return {
    // An acknowledged write survives a power cut.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    // A container's /dev/shm is small, and huge pages are reserved for others.
    shared_memory_type: "mmap",
    dynamic_shared_memory_type: "mmap",
    huge_pages: "off",
    max_connections: String(connections + OTHER_CONNECTIONS),
    // Small enough for a laptop; the system caches files too.
    shared_buffers: "64MB",
    maintenance_work_mem: "32MB",
    autovacuum_work_mem: "32MB",
    // Parley has no work for these processes.
    io_method: "sync",
    max_parallel_workers: "0",
    max_parallel_workers_per_gather: "0",
    max_parallel_maintenance_workers: "0",
    max_logical_replication_workers: "0",
    // The log is recycled, and does not grow to a gigabyte.
    min_wal_size: "64MB",
    max_wal_size: "256MB",
    autovacuum: "on",
    jit: "off",
    timezone: "UTC",
    // Parley parses the lines, which must be in English. Only messages of the server itself are logged:
    // errors of sessions hold user data, and reach Parley as errors.
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "",
    lc_messages: "C",
    log_timezone: "UTC",
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_statement: "none",
    log_min_duration_statement: "-1",
    log_min_duration_sample: "-1",
    log_parameter_max_length: "0",
    log_parameter_max_length_on_error: "0",
    log_checkpoints: "off",
    log_connections: "",
    log_disconnections: "off",
    log_autovacuum_min_duration: "-1",
    log_lock_waits: "off",
    log_recovery_conflict_waits: "off",
  };
}

/** Settings as arguments of `postgres`. */
export function asFlags(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

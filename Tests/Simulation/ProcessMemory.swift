import DocFS
import Glibc

/// The memory of this process that is resident, as the kernel counts it (proc_pid_status(5)).
enum ProcessMemory {
    /// From now on the kernel measures the peak anew (proc_pid_clear_refs(5)).
    static func forgetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// The most since ``forgetPeak()``, in bytes.
    static var peak: Int { kibibytes("VmHWM:") << 10 }

    /// Now, in bytes.
    static var resident: Int { kibibytes("VmRSS:") << 10 }

    private static func kibibytes(_ name: String) -> Int {
        guard let bytes = try? Posix.contents(ofPath: "/proc/self/status") else { return 0 }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}

package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// tuneMemory makes the collector rarer than usual, because a run's live memory is small against what it turns over,
// and bounds what that can cost: near three quarters of the machine's (or container's) memory it collects as often as
// it must. Who sets GOGC or GOMEMLIMIT knows better.
func tuneMemory(w *world) {
	if w.getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if w.getenv("GOMEMLIMIT") == "" {
		if total := memory(); total > 0 {
			debug.SetMemoryLimit(total / 4 * 3)
		}
	}
}

// memory returns the bytes of memory that there are: of the machine, or of the control group where that is less. It is
// 0 where neither is known.
func memory() int64 {
	total := int64(0)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/proc/meminfo"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		number, unit := strings.TrimSpace(string(text)), int64(1)
		if line, ok := strings.CutPrefix(number, "MemTotal:"); ok {
			number, unit = strings.Fields(line)[0], 1024
		}
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n < 1<<50 && (total == 0 || n*unit < total) {
			total = n * unit
		}
	}
	return total
}

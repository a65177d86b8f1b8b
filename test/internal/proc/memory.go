// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"fmt"
	"os"
	"strings"
)

// Memory is a line of /proc/<pid>/status, such as VmRSS:, in kB; 0 when the process is gone.
func Memory(pid int, field string) (kb int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, field); found {
			_, _ = fmt.Sscan(value, &kb) // 0 when it is no number
		}
	}
	return kb
}

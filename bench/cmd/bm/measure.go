package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// measure runs every row once a round, in turn; in every other round backwards, so that none always follows the same
// neighbour. Outputs are checked in the first round.
func measure(rows []*row, rounds int, timeout time.Duration, dir string) {
	want := map[string]string{} // digest of the first row's output by input and check
	for round := range rounds {
		order := slices.Clone(rows)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, r := range order {
			if r.fault != "" {
				continue
			}
			os.Remove(r.out)
			if err := r.runOnce(timeout); err != nil {
				r.fault = err.Error()
			} else if round == 0 {
				r.fault = verify(r, rows[0], want, dir)
			}
			os.Remove(r.out)
		}
	}
}

// runOnce runs the row's command in a process group of its own and notes what it cost.
func (r *row) runOnce(timeout time.Duration) error {
	var stderr bytes.Buffer
	c := r.shell(r.in, r.out)
	c.Stderr = &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	killer := time.AfterFunc(timeout, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err := c.Wait()
	wall := time.Since(start).Seconds()
	if !killer.Stop() {
		return fmt.Errorf("took longer than %v", timeout)
	}
	if err != nil {
		if said := lastLine(stderr.String()); said != "" {
			return fmt.Errorf("%w: %s", err, said)
		}
		return err
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	r.wall = append(r.wall, wall)
	r.cpu = append(r.cpu, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
	r.rss = append(r.rss, float64(usage.Maxrss)*1024/1e6)
	return nil
}

// shell returns the row's command for the given files.
func (r *row) shell(in, out string) *exec.Cmd {
	c := exec.Command("bash", "-c", r.command)
	c.Env = append(os.Environ(), "IN="+in, "OUT="+out)
	return c
}

// verify compares the row's output with what the reference makes of the same input, and says what is wrong.
func verify(r, reference *row, want map[string]string, dir string) string {
	if r.check == "none" {
		return ""
	}
	key := r.in + "\t" + r.check
	if want[key] == "" {
		path := filepath.Join(dir, "reference")
		if text, err := reference.shell(r.in, path).CombinedOutput(); err != nil {
			return fmt.Sprintf("the reference failed: %v: %s", err, lastLine(string(text)))
		}
		d, err := digest(path, r.check)
		os.Remove(path)
		if err != nil {
			return fmt.Sprintf("the reference has no output: %v", err)
		}
		want[key] = d
	}
	switch got, err := digest(r.out, r.check); {
	case err != nil:
		return fmt.Sprintf("no output: %v", err)
	case got != want[key]:
		return "wrong output"
	}
	return ""
}

// digest runs outside of this process: a child's peak memory starts at its parent's, so the parent has to stay small.
func digest(path, check string) (string, error) {
	command := `md5sum <"$1"`
	if check == "sorted" {
		command = `set -o pipefail; LC_ALL=C sort "$1" | md5sum`
	}
	out, err := exec.Command("bash", "-c", command, "digest", path).Output()
	return string(out), err
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

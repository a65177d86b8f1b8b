// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// gymRepository has the branches main and release/0.7, the tag v0.7.0 and a commit that no
// branch or tag ends in.
func gymRepository(t *testing.T) (repo, inner string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repo = t.TempDir()
	run := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...).Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "--quiet", "--initial-branch=main")
	run("config", "uploadpack.allowReachableSHA1InWant", "true")
	run("commit", "--quiet", "--allow-empty", "--message=first")
	inner = run("rev-parse", "HEAD")
	run("commit", "--quiet", "--allow-empty", "--message=second")
	run("branch", "release/0.7")
	run("tag", "--annotate", "--message=x", "v0.7.0")
	return repo, inner
}

func TestCheckRef(t *testing.T) {
	repo, inner := gymRepository(t)
	unset := config.Options{LookupEnv: func(string) (string, bool) { return "", false }}
	for _, c := range []struct{ repo, ref, warning, err string }{
		{repo, "main", "", ""},
		{repo, "release/0.7", "", ""},
		{repo, "v0.7.0", "", ""},
		{"file://" + repo, inner, "", ""},
		{repo, "HEAD~1", "", ""},
		{repo, "origin/main", "", ""},
		{repo, inner[:9], "is no branch or tag", ""},
		{repo, "v0.7.1", "", "has no branch or tag v0.7.1"},
		{repo, "0.7", "", "has no branch or tag 0.7"},
		{"file://" + repo, strings.Repeat("ab", 20), "", "has no commit abab"},
		{"https://u:s3cr3t@127.0.0.1:1/gym.git", "main", "", ""}, // not asked: git's arguments are no secret
		{repo + "/none", "main", "did not say whether it has main", ""},
	} {
		t.Run(c.ref, func(t *testing.T) {
			cfg := &config.Config{Driver: config.Driver{GymInstall: &config.GymInstall{Repo: c.repo, Ref: c.ref}}}
			warning, err := checkRef(t.Context(), cfg, unset)
			if (c.warning == "") != (warning == "") || !strings.Contains(warning, c.warning) {
				t.Errorf("warning %q, want %q", warning, c.warning)
			}
			if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func TestCheckRefSkipped(t *testing.T) {
	repo, _ := gymRepository(t)
	cfg := &config.Config{Driver: config.Driver{GymInstall: &config.GymInstall{Repo: repo, Ref: "none"}}}
	skip := config.Options{LookupEnv: func(name string) (string, bool) { return "true", name == "NEMO_GYM_SUBMIT_NO_REF_CHECK" }}
	if warning, err := checkRef(t.Context(), cfg, skip); warning != "" || err != nil {
		t.Errorf("%q, %v", warning, err)
	}
	if warning, err := checkRef(t.Context(), &config.Config{}, config.Options{}); warning != "" || err != nil {
		t.Errorf("without gym_install: %q, %v", warning, err)
	}
}

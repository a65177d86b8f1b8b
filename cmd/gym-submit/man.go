// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// newManCommand is for those who make packages.
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands into a directory",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := doc.GenManHeader{Title: "GYM-SUBMIT", Section: "1", Source: "gym-submit " + version.Version, Manual: "gym-submit"}
			// The commit's date: the same source gives the same pages.
			if date, err := time.Parse(time.RFC3339, version.Date); err == nil {
				header.Date = &date
			}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	}
}

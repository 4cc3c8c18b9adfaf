package crossrelease_test

import (
	"testing"

	"github.com/lockvet/lockvet/internal/passtest"
	"github.com/lockvet/lockvet/passes/crossrelease"
)

func TestCrossrelease(t *testing.T) {
	passtest.Run(t, crossrelease.Analyzer, "cross_", "order_")
}

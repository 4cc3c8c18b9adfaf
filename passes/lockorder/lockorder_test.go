package lockorder_test

import (
	"testing"

	"github.com/lockvet/lockvet/internal/passtest"
	"github.com/lockvet/lockvet/passes/lockorder"
)

func TestLockorder(t *testing.T) {
	passtest.Run(t, lockorder.Analyzer, "order_", "cross_")
}

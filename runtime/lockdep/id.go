package lockdep

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// findingID returns the identifier that the static analyses give to a finding
// of the same category about the same classes.
func findingID(analyzer, category string, classes []string) string {
	text := analyzer + "\x00" + category + "\x00" + strings.Join(rotate(classes), "\x00")
	sum := sha256.Sum256([]byte(text))
	return "LV-" + hex.EncodeToString(sum[:4])
}

// rotate turns a ring of classes so that the smallest comes first.
func rotate(ring []string) []string {
	i := smallest(ring)
	return slices.Concat(ring[i:], ring[:i])
}

func smallest(ring []string) int {
	at := 0
	for i, c := range ring {
		if c < ring[at] {
			at = i
		}
	}
	return at
}

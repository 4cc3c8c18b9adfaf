package linkpass

import (
	"go/parser"
	"go/token"
	"strings"
)

// Doc returns the package comment of a pass's doc.go from its analyzer's
// heading on: the one source of help, explanations and web pages.
func Doc(source, analyzer string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || f.Doc == nil {
		return "(no documentation)"
	}
	_, text, ok := strings.Cut(f.Doc.Text(), "# Analyzer "+analyzer+"\n")
	if !ok {
		return "(no documentation)"
	}
	_, text, _ = strings.Cut(text, analyzer+": ")
	return strings.TrimSpace(text)
}

module github.com/lockvet/lockvet/bench/ssavet

go 1.26.0

require (
	github.com/lockvet/lockvet v0.0.0
	golang.org/x/tools v0.52.0
)

replace github.com/lockvet/lockvet => ../..

module github.com/lockvet/lockvet/examples/bank

go 1.26.0

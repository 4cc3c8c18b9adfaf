package lockobj

import "testing"

func TestSubstitute(t *testing.T) {
	at := func(root string) Path {
		switch root {
		case "p0":
			return "g{example.com/a.Server}>"
		case "p1":
			return "%=3"
		case "p2":
			return "%t7"
		}
		return ""
	}
	for _, c := range []struct{ in, want Path }{
		{"p0.mu", "g{example.com/a.Server}>.mu"},
		{"p0.locks[p1]", "g{example.com/a.Server}>.locks[3]"},
		{"p0.locks[p2].mu", "g{example.com/a.Server}>.locks[%t7].mu"},
		{"p0.locks[p9].mu", "g{example.com/a.Server}>.locks[*].mu"},
		{"p9.mu", ""},
		{"", ""},
	} {
		if got := Substitute(c.in, at); got != c.want {
			t.Errorf("Substitute(%q) is %q, want %q", c.in, got, c.want)
		}
	}
}

func TestOutside(t *testing.T) {
	for _, c := range []struct{ in, want Path }{
		{"p0.mu", "p0.mu"},
		{"p0.xs>[%t3]>.mu", "p0.xs>[*]>.mu"},
		{"p0.xs>[p1]>.mu", "p0.xs>[p1]>.mu"},
		{"%t3.mu", ""},
		{"a:t3.mu", ""},
	} {
		if got := c.in.Outside(); got != c.want {
			t.Errorf("%q.Outside() is %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNormal(t *testing.T) {
	backs := []BackPtr{{Container: "kids", Back: "parent"}}
	for _, c := range []struct{ in, want Path }{
		{"p0.~kids>[*]>.parent>.mu", "p0.mu"},
		{"p0.kids>[%t1]>.parent>", "p0"},
		{"p0.kids>[%t1]>.parent>.kids>[%t2]>.parent>.mu", "p0.mu"},
		{"p0.kids>[%t1]>.parents>.mu", "p0.kids>[%t1]>.parents>.mu"},
		{"p0.others>[%t1]>.parent>.mu", "p0.others>[%t1]>.parent>.mu"},
	} {
		if got := Normal(c.in, backs); got != c.want {
			t.Errorf("Normal(%q) is %q, want %q", c.in, got, c.want)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	p := Path("p0")
	for range MaxDepth {
		p = p.Field("next")
	}
	if p == "" {
		t.Fatalf("a path of %d steps is lost", MaxDepth)
	}
	if p = p.Field("next"); p != "" {
		t.Errorf("a path of %d steps is %q, want it known by class only", MaxDepth+1, p)
	}
}

func TestObject(t *testing.T) {
	for _, c := range []struct{ path, want Path }{
		{"p0.mu", "p0"},
		{"p0.~mu>", "p0"},
		{"p0.in.mu", "p0"},
		{"p0.srv>.mu", "p0.srv>"},
		{"p0.conns>[%t3]", "p0"},
		{"p0.shards[%t3].mu", "p0.shards[%t3]"},
		{"p0.shards[%t3].m>[p1]", "p0.shards[%t3]"},
		{"g{pkg.Var}.mu", "g{pkg.Var}"},
		{"p0", ""},
		{"p0>", ""},
		{"", ""},
	} {
		if got := c.path.Object(); got != c.want {
			t.Errorf("%s: object %q, want %q", c.path, got, c.want)
		}
	}
}

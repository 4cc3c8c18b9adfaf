package order_closure

import "sync"

type Board struct {
	mu    sync.Mutex
	after []func()
}

type Player struct {
	mu    sync.Mutex
	board *Board
}

// Silent: the functions run after Board.mu is given up.
func (b *Board) Finish() {
	b.mu.Lock()
	fs := b.after
	b.after = nil
	b.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Silent: stores a function, and runs none.
func (p *Player) Join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.board.after = append(p.board.after, p.leave)
}

// Silent: the closure is made under Player.mu, and run without it.
func (p *Player) Plan() {
	p.mu.Lock()
	f := func() {
		p.board.mu.Lock()
		p.board.mu.Unlock()
	}
	p.mu.Unlock()
	f()
}

func (p *Player) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
}

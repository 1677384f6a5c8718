package file

import (
	"sync"
	"sync/atomic"

	"github.com/pipec/pipec/exec/batch"
)

// pool keeps blocks and row lists that came back, so that a file that passes through at a gigabyte a second makes next
// to no garbage. Nothing depends on what comes back: what does not is made anew, and the collector's.
//
// A block has a holder for the reader whose current block it is and one for each batch that points into it; who is the
// last to let go puts it back. It is safe for concurrent use.
type pool struct {
	mu     sync.Mutex
	blocks []*block
	leases []*lease
}

// poolSize bounds what is kept: 16 MiB of blocks.
const poolSize = 64

type block struct {
	buf     []byte
	holders atomic.Int32
}

// lease is what one batch holds.
type lease struct {
	pool  *pool
	block *block
	strs  []batch.Str
	pos   []int64
}

// block returns a block of a size with one holder. Only those of the usual size are kept.
func (p *pool) block(size int) *block {
	if size == blockSize {
		p.mu.Lock()
		if n := len(p.blocks); n > 0 {
			b := p.blocks[n-1]
			p.blocks = p.blocks[:n-1]
			p.mu.Unlock()
			b.holders.Store(1)
			return b
		}
		p.mu.Unlock()
	}
	b := &block{buf: make([]byte, size)}
	b.holders.Store(1)
	return b
}

// drop lets one holder of a block go; b may be nil.
func (p *pool) drop(b *block) {
	if b == nil || b.holders.Add(-1) > 0 || len(b.buf) != blockSize {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.blocks) < poolSize {
		p.blocks = append(p.blocks, b)
	}
}

// rows returns a lease with empty lists of rows, which may have room.
func (p *pool) rows() *lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.leases); n > 0 {
		l := p.leases[n-1]
		p.leases = p.leases[:n-1]
		return l
	}
	return &lease{pool: p}
}

// lease makes l the lease of a batch that has these rows and points into b.
func (p *pool) lease(l *lease, strs []batch.Str, pos []int64, b *block) batch.Lease {
	b.holders.Add(1)
	l.block, l.strs, l.pos = b, strs[:0], pos[:0]
	return l
}

// Release implements batch.Lease.
func (l *lease) Release() {
	l.pool.drop(l.block)
	l.block = nil
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if len(l.pool.leases) < poolSize {
		l.pool.leases = append(l.pool.leases, l)
	}
}

package main

import (
	"math"
	"math/rand/v2"
)

// alias implements Vose's alias method: O(1) sampling of a fixed distribution.
type alias struct {
	p []float64
	a []int32
}

func newAlias(w []float64) *alias {
	n := len(w)
	t := &alias{p: make([]float64, n), a: make([]int32, n)}
	var sum float64
	for _, x := range w {
		sum += x
	}
	var small, large []int32
	q := make([]float64, n)
	for i, x := range w {
		q[i] = x / sum * float64(n)
		if q[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.p[s], t.a[s] = q[s], l
		q[l] += q[s] - 1
		if q[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, l := range large {
		t.p[l] = 1
	}
	for _, s := range small {
		t.p[s] = 1
	}
	return t
}

func (t *alias) pick(r *rand.Rand) int {
	i := r.IntN(len(t.p))
	if r.Float64() < t.p[i] {
		return i
	}
	return int(t.a[i])
}

func zipf(n int, s float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / math.Pow(float64(i)+2.7, s)
	}
	return w
}

// vocab makes n distinct pronounceable words; frequent words are short, as in English.
func vocab(r *rand.Rand, n int) []string {
	on := []string{"b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "w", "th", "st", "tr", "pl", "ch", ""}
	vo := []string{"a", "e", "i", "o", "u", "e", "a", "ea", "ou", "io"}
	co := []string{"", "", "", "n", "s", "t", "r", "l", "d", "ng", "m", "rs"}
	seen := map[string]bool{}
	out := make([]string, 0, n)
	for len(out) < n {
		syl := 1
		switch k := len(out); {
		case k < 150:
		case k < 2000:
			syl = 1 + r.IntN(2)
		case k < 15000:
			syl = 2 + r.IntN(2)
		default:
			syl = 2 + r.IntN(4)
		}
		w := ""
		for range syl {
			w += on[r.IntN(len(on))] + vo[r.IntN(len(vo))] + co[r.IntN(len(co))]
		}
		if len(w) < 2 && len(out) > 3 || seen[w] {
			continue
		}
		seen[w] = true
		out = append(out, w)
	}
	return out
}

// vocabulary is the words of words.txt, most frequent first; access.log makes its paths of them.
func vocabulary(seed uint64) (words []string, r *rand.Rand) {
	r = rand.New(rand.NewPCG(seed, 101))
	return vocab(r, 60_000), r
}

// words returns the lines of words.txt: 5 to 15 words, mean 10, with the first and some others capitalised.
func words(seed uint64) line {
	words, r := vocabulary(seed)
	pick := newAlias(zipf(len(words), 1.03))
	return func(b []byte) []byte {
		for i := range 5 + r.IntN(11) {
			if i > 0 {
				b = append(b, ' ')
			}
			p := len(b)
			b = append(b, words[pick.pick(r)]...)
			if i == 0 || r.IntN(25) == 0 {
				b[p] -= 32
			}
		}
		return append(b, '\n')
	}
}

package diag

import (
	"strings"
	"unicode/utf8"
)

// longestName is the longest name, in bytes, that is compared: the effort grows with the square, and what is longer was
// not typed by a person.
const longestName = 200

// Nearest returns the candidate that a mistyped name most likely meant, for "did you mean". It is the one at the
// smallest distance, counted in letters that were left out, added, exchanged or swapped with their neighbour (optimal
// string alignment); a difference of case alone counts as one. A name of up to five letters may differ by one, of up
// to eight by two, a longer one by a third of its length, and never in all of its letters. Among equals, one with the
// same first letter wins, then the alphabet decides, so the answer does not hang on the candidates' order.
func Nearest(name string, candidates []string) (string, bool) {
	if len(name) > longestName {
		return "", false
	}
	limit := max(utf8.RuneCountInString(name)/3, 1)
	best, bestDistance := "", limit+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		d := distance([]rune(name), []rune(c), limit)
		if d > limit || d >= max(utf8.RuneCountInString(name), utf8.RuneCountInString(c)) {
			continue
		}
		if d < bestDistance || d == bestDistance && preferred(name, c, best) {
			best, bestDistance = c, d
		}
	}
	return best, bestDistance <= limit
}

func preferred(name, a, b string) bool {
	if sameA, sameB := sameFirst(name, a), sameFirst(name, b); sameA != sameB {
		return sameA
	}
	return a < b
}

func sameFirst(a, b string) bool {
	x, _ := utf8.DecodeRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return x == y
}

// distance returns the edit distance of a and b, or more than limit as soon as it is sure to be above it.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	if strings.EqualFold(string(a), string(b)) {
		return 1
	}
	// Three rows of the usual table: the one being made, and the two above it.
	above2, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			exchange := above[j-1]
			if a[i-1] != b[j-1] {
				exchange++
			}
			row[j] = min(above[j]+1, row[j-1]+1, exchange)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], above2[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		above2, above, row = above, row, above2
	}
	return above[len(b)]
}

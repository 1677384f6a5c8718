package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// baseTime is the event time at which orders.ndjson and access.log begin, in milliseconds.
var baseTime = time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// orders returns the lines of orders.ndjson: one JSON object each, about 327 bytes, with event times that are up to 4 s
// out of order, and notes that need escapes.
func orders(seed uint64) line {
	r := rand.New(rand.NewPCG(seed, 202))
	countries := []string{"US", "DE", "FR", "GB", "JP", "IN", "BR", "CA", "AU", "NL", "ES", "IT", "SE", "PL", "MX", "KR", "TR", "CH", "ZA", "NO"}
	country := newAlias(zipf(len(countries), 0.9))
	channels := []string{"web", "ios", "android", "partner", "store"}
	systems := []string{"linux", "windows", "macos", "ios", "android"}
	notes := []string{"", "gift wrap", "leave at door", "call \\\"before\\\" delivery", "fragile", "B2B account", "second floor \\u2014 ring twice"}
	id, clock := int64(100000), baseTime
	return func(b []byte) []byte {
		clock += int64(r.IntN(241)) // mean 120 ms between orders
		ts := max(clock-int64(r.IntN(4000)), baseTime)
		id++
		items, total := appendItems(nil, r)
		b = append(b, `{"id":`...)
		b = strconv.AppendInt(b, id, 10)
		b = append(b, `,"ts":"`...)
		b = time.UnixMilli(ts).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
		b = append(b, `","ts_ms":`...)
		b = strconv.AppendInt(b, ts, 10)
		b = append(b, `,"user":"u`...)
		b = strconv.AppendInt(b, int64(10000+r.IntN(200000)), 10)
		b = append(b, `","country":"`...)
		b = append(b, countries[country.pick(r)]...)
		b = append(b, `","amount":`...)
		b = appendCents(b, total)
		b = append(b, `,"items":[`...)
		b = append(b, items...)
		b = append(b, `],"meta":{"channel":"`...)
		b = append(b, channels[r.IntN(len(channels))]...)
		b = append(b, `","ip":"10.`...)
		b = strconv.AppendInt(b, int64(r.IntN(256)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.IntN(256)), 10)
		b = append(b, `.7","ua":{"os":"`...)
		b = append(b, systems[r.IntN(len(systems))]...)
		b = append(b, `","ver":`...)
		b = strconv.AppendInt(b, int64(1+r.IntN(30)), 10)
		b = append(b, `}},"note":"`...)
		b = append(b, notes[r.IntN(len(notes))]...)
		return append(b, "\"}\n"...)
	}
}

// appendItems adds one to four items of an order and returns what they cost together, in cents.
func appendItems(b []byte, r *rand.Rand) (items []byte, total int64) {
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			b = append(b, ',')
		}
		quantity := 1 + r.IntN(5)
		price := int64(99 + math.Exp(r.NormFloat64()*1.1)*700)
		total += price * int64(quantity)
		b = append(b, `{"sku":"SKU-`...)
		b = strconv.AppendInt(b, int64(10000+r.IntN(90000)), 10)
		b = append(b, `","qty":`...)
		b = strconv.AppendInt(b, int64(quantity), 10)
		b = append(b, `,"price":`...)
		b = appendCents(b, price)
		b = append(b, '}')
	}
	return b, total
}

// appendCents prints c/100 the shortest way (no trailing zeros), as JSON encoders print floats.
func appendCents(b []byte, c int64) []byte {
	return strconv.AppendFloat(b, float64(c)/100, 'f', -1, 64)
}
